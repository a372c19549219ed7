import type { Verdict } from "../event.ts";
import { strongest } from "../field.ts";
import { allows, type Decoded, failure, fieldsOf, opinion, type Question } from "./question.ts";

/** Gathers the fields of one answer, refusing what the view may not give and what is of a wrong type. */
export interface Gathering {
  /** `said` is the key under which the handler gave it, for remarks and reasons. */
  readonly give: (field: string, value: unknown, said: string) => void;
  readonly verdict: (decision: Verdict["decision"], reason: string | undefined, said: string) => void;
  readonly remark: (text: string) => void;
  /** The whole outcome is nonsense: it has a known key of a wrong type. */
  readonly nonsense: (reason: string) => void;
  readonly result: () => Decoded;
}

export function gathering(question: Question): Gathering {
  const fields = fieldsOf(question.event);
  const answer: Record<string, unknown> = {};
  const remarks: string[] = [];
  let broken: string | undefined;
  const nonsense = (reason: string): void => {
    broken ??= reason;
  };
  const give: Gathering["give"] = (field, value, said) => {
    if (!allows(question, field)) remarks.push(`${question.view.name} does not honour ${said}`);
    else if (fields[field]?.accepts?.(value) === false) nonsense(`${said} is of a wrong type`);
    else answer[field] = value;
  };
  return {
    give,
    verdict(decision, reason, said) {
      const verdict: Verdict = reason === undefined ? { decision } : { decision, reason };
      const earlier = answer["verdict"] as Verdict | undefined;
      give("verdict", earlier ? strongest.merge(earlier, verdict) : verdict, said);
    },
    remark: (text) => remarks.push(text),
    nonsense,
    result: () => (broken === undefined ? opinion(answer, remarks) : failure(broken, remarks)),
  };
}

/** One text as a list of one; lists pass, blank texts are no text. */
export const listed = (value: unknown): unknown =>
  typeof value === "string" ? (value.trim() === "" ? [] : [value]) : value;
