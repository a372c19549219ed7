import { commandFindings } from "#capabilities";
import { userHome } from "#host";
import type { PythonServices } from "#plugins";
import { allowList } from "../allow-list.ts";
import type { House } from "../house.ts";

/** What `tools.approval` asks: the same patterns and the same list of what is allowed for good; nobody is asked. */
export function approvalServices(house: House, cwd: string): PythonServices {
  const isOff = house.config.settings["approvals.mode"] === "off";
  const place = { home: userHome(), agentHome: house.home.path, cwd };
  const look = (command: unknown) => {
    const { hardline, dangerous, excessive } = commandFindings(String(command), place);
    const allowed = allowList(house);
    const pending = isOff ? [] : dangerous.filter(({ id }) => !allowed.has(id));
    return { hardline, excessive, first: dangerous[0], pending };
  };
  return {
    "approval.bypass": () => isOff,
    "approval.detect"({ command }) {
      const { hardline, excessive, first } = look(command);
      const found = hardline ?? first;
      if (excessive)
        return { dangerous: true, key: "excessive", description: "too long or too deep to be looked through" };
      return { dangerous: found !== undefined, key: found?.id, description: found?.description };
    },
    "approval.check"({ command }) {
      const { hardline, excessive, pending } = look(command);
      const why = excessive
        ? "the command is too long or too deep to be looked through"
        : [...(hardline === undefined ? [] : [hardline]), ...pending].map(({ description }) => description).join("; ");
      const key = hardline?.id ?? pending[0]?.id ?? null;
      if (why === "") return { approved: true, message: null };
      return { approved: false, message: `BLOCKED: ${why}`, pattern_key: key, description: why };
    },
  };
}
