import type { Span } from "./span.ts";

export interface SpanNode {
  readonly span: Span;
  readonly children: readonly SpanNode[];
}

/** The spans below each other, in order of their start; a span whose parent is not there is a root. */
export function spanTree(spans: readonly Span[]): readonly SpanNode[] {
  const known = new Set(spans.map((span) => span.id));
  const byParent = Map.groupBy(spans, (span) =>
    span.parentId !== undefined && span.parentId !== span.id && known.has(span.parentId) ? span.parentId : "",
  );
  const seen = new Set<string>();
  const nodes = (parent: string): readonly SpanNode[] =>
    (byParent.get(parent) ?? [])
      .toSorted((one, other) => one.startedAt - other.startedAt)
      .flatMap((span) => {
        if (seen.has(span.id)) return [];
        seen.add(span.id);
        return [{ span, children: nodes(span.id) }];
      });
  return nodes("");
}
