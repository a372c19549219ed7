import { type Environment, findProgram, HostError, sleep, spawn, withLock } from "#host";

/**
 * Runs `action` alone among Talaria's processes and, where the machine has the program `flock`, alone among all that
 * take an advisory lock on the file, as Hermes does. Waits at most 5 s for either, then throws `locked`.
 */
export async function withAdvisoryLock<T>(
  path: string,
  environment: Environment,
  action: () => Promise<T>,
): Promise<T> {
  return withLock(`${path}.talaria`, async () => {
    const program = findProgram("flock", environment);
    if (program === undefined) return action();
    const held = await hold(program, path, environment);
    try {
      return await action();
    } finally {
      await held.kill();
    }
  });
}

async function hold(program: string, path: string, environment: Environment): Promise<{ kill(): Promise<void> }> {
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  let heard: (() => void) | undefined;
  const locked = new Promise<"locked">((resolve) => {
    heard = () => resolve("locked");
  });
  const holder = await spawn(program, ["-x", "-w", "5", path, "sh", "-c", "echo locked; cat > /dev/null"], {
    cwd: "/",
    env: { PATH: "/usr/bin:/bin", ...env },
    interactive: true,
    onOutput: () => heard?.(),
  });
  const ended = holder.exit.then(({ code }) => code);
  const patience = new AbortController();
  const late = sleep(8000, patience.signal).catch(() => undefined); // no longer waited for
  const state = await Promise.race([locked, ended, late.then(() => undefined)]);
  patience.abort();
  if (state === "locked")
    return {
      kill: async () => {
        holder.closeInput();
        await ended;
      },
    };
  await holder.kill();
  if (state === 1 || state === undefined)
    throw new HostError("locked", `${path} is held by another program; try again when it is done`, { subject: path });
  return { kill: async () => undefined };
}
