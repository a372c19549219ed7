/** Every character that a tool's name may not have, as `_`; the same rule as in the names that hooks see. */
export const sanitised = (name: string): string => name.replace(/[^A-Za-z0-9_]/g, "_");
