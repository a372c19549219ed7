import type { ModelRequest } from "./model.ts";

type Fetch = typeof globalThis.fetch;

/** A `fetch` that puts what the request wants beyond its provider package's options over the body as it is sent. */
export function withExtraBody(fetch: Fetch, request: ModelRequest, apiMode: string): Fetch {
  const extra = { ...(apiMode === "chat_completions" ? chatFormat(request) : {}), ...request.extraBody };
  if (Object.keys(extra).length === 0) return fetch;
  return (input, init) => {
    if (typeof init?.body !== "string") return fetch(input, init);
    return fetch(input, { ...init, body: JSON.stringify({ ...JSON.parse(init.body), ...extra }) });
  };
}

/** Provider packages leave the schema out for servers that they do not know. */
function chatFormat({ responseFormat }: ModelRequest): Readonly<Record<string, unknown>> {
  if (responseFormat === undefined) return {};
  const { name, schema } = responseFormat;
  if (schema === undefined) return { response_format: { type: "json_object" } };
  return { response_format: { type: "json_schema", json_schema: { name, strict: false, schema } } };
}
