import type { ModelRequest } from "./model.ts";

type Fetch = typeof globalThis.fetch;

/** A `fetch` that puts what the request wants beyond its provider package's options over the body as it is sent, and mends its text. */
export function withExtraBody(fetch: Fetch, request: ModelRequest, apiMode: string): Fetch {
  const extra = { ...(apiMode === "chat_completions" ? chatFormat(request) : {}), ...request.extraBody };
  return (input, init) => {
    if (typeof init?.body !== "string") return fetch(input, init);
    const hasExtra = Object.keys(extra).length > 0;
    const body = hasExtra ? JSON.stringify({ ...JSON.parse(init.body), ...extra }) : init.body;
    return fetch(input, { ...init, body: wellFormed(body) });
  };
}

/** Provider packages leave the schema out for servers that they do not know. */
function chatFormat({ responseFormat }: ModelRequest): Readonly<Record<string, unknown>> {
  if (responseFormat === undefined) return {};
  const { name, schema } = responseFormat;
  if (schema === undefined) return { response_format: { type: "json_object" } };
  return { response_format: { type: "json_schema", json_schema: { name, strict: false, schema } } };
}

const loneSurrogate = /(?<!\\)((?:\\\\)*)\\ud[89a-f][0-9a-f]{2}/g;

/** JSON without halves of surrogate pairs, which file names and cut texts bring, and for which providers refuse a whole conversation. */
function wellFormed(json: string): string {
  return json.includes("\\ud") ? json.replace(loneSurrogate, "$1\\ufffd") : json;
}
