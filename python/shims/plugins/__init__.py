"""`plugins.<name>`: the folders of this home's plugins, for code that imports itself by that name."""

from talaria_host import link

__path__ = [str(link.home() / "plugins")]
