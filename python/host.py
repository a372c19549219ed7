"""Starts the host of Python plugins: python3 host.py <descriptor>. Talaria runs it; nobody else needs to."""
import sys

if sys.version_info < (3, 8):
    sys.stderr.write("Python 3.8 or newer is needed, this is %s (%s)\n" % (sys.version.split()[0], sys.executable))
    sys.exit(78)

import os

_here = os.path.dirname(os.path.abspath(__file__))
sys.path[0] = _here
import agent_modules  # noqa: E402
from talaria_host import parts, serve  # noqa: E402

# The modules of the agent come first, as they do where the agent itself runs plugins.
sys.path[0] = os.path.join(_here, "shims")
if __name__ == "__main__":
    parts.use(agent_modules.find)
    serve.main(int(sys.argv[1]))
