declare const TALARIA_VERSION: string | undefined;

/** Put in by the build from package.json. */
export const version = typeof TALARIA_VERSION === "string" ? TALARIA_VERSION : "0.0.0-source";
