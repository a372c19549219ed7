export type { InterpreterSearch } from "./interpreter.ts";
export { pythonHandlers } from "./python-handlers.ts";
export { type PythonHost, type PythonPorts, type PythonServices, pythonHost } from "./python-host.ts";
export { pythonLoader } from "./python-loader.ts";
export { type RegistrationCache, registrationCache } from "./registration-cache.ts";
export { sitePackages } from "./site-packages.ts";
