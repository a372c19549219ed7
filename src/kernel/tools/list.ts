import { isRecord } from "../data.ts";
import { type Args, keeping, type Lens, record, same, without } from "./lens.ts";

const items = (value: unknown): readonly Args[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
/** As an object with one key, or with none where there is no value. */
const maybe = (key: string, value: unknown): Args => (value === undefined ? {} : { [key]: value });

const seenTodos = (todos: unknown): unknown =>
  Array.isArray(todos) ? todos.map((item) => (isRecord(item) ? without(item, ["id"]) : item)) : todos;

/** Tasks of ours have ids, theirs have none: an id stays with its place, or with its text when the list grew or shrank. */
export const tasks: Lens<Args, Args> = keeping<Args, Args>(
  (own) => ({ ...without(own, ["merge", "todos"]), ...maybe("todos", seenTodos(own["todos"])) }),
  (own, seen) => {
    const result = { ...maybe("merge", own["merge"]), ...without(seen, ["merge", "todos"]) };
    if (same(seenTodos(own["todos"]), seen["todos"])) return { ...result, ...maybe("todos", own["todos"]) };
    if (!Array.isArray(seen["todos"])) return { ...result, ...maybe("todos", seen["todos"]) };
    return { ...result, todos: identified(items(own["todos"]), items(seen["todos"])) };
  },
);

function identified(own: readonly Args[], seen: readonly Args[]): readonly Args[] {
  const free = new Map(own.map((item, index) => [index, item]));
  const used = new Set(own.map((item) => item["id"]));
  const take = (index: number | undefined): unknown => {
    if (index === undefined) return undefined;
    const id = free.get(index)?.["id"];
    free.delete(index);
    return id;
  };
  let next = 0;
  const fresh = (): string => {
    do next += 1;
    while (used.has(String(next)));
    return String(next);
  };
  const place = (item: Args, index: number): number | undefined =>
    own.length === seen.length ? index : [...free.keys()].find((key) => free.get(key)?.["content"] === item["content"]);
  return seen.map((item, index) => ({ id: take(place(item, index)) ?? fresh(), ...without(item, ["id"]) }));
}

/** Several addresses of ours, one of theirs: the first is seen as `url`, and `urls` lists all when there are more. */
export const pages: Lens<Args, Args> = keeping<Args, Args>(
  (own) => {
    const urls = texts(own["urls"]);
    return { ...without(own, ["url", "urls"]), ...maybe("url", urls[0]), ...(urls.length > 1 ? { urls } : {}) };
  },
  (own, seen) => {
    const result = without(seen, ["url", "urls"]);
    if (seen["url"] === undefined && texts(own["urls"])[0] === undefined)
      return { ...result, ...maybe("urls", own["urls"]) };
    if (typeof seen["url"] !== "string") return result;
    return { ...result, urls: [seen["url"], ...texts(seen["urls"]).slice(1)] };
  },
);

const seenQuestions = (own: Args): unknown =>
  typeof own["question"] === "string"
    ? [
        {
          question: own["question"],
          header: "",
          options: texts(own["choices"]).map((label) => ({ label })),
          multiSelect: false,
        },
      ]
    : undefined;

/** One question with its choices, as a form of one question; what else a form can say is not kept. */
export const questions: Lens<Args, Args> = keeping<Args, Args>(
  (own) => ({ ...without(own, ["question", "choices", "questions"]), ...maybe("questions", seenQuestions(own)) }),
  (own, seen) => {
    const result = without(seen, ["question", "choices", "questions"]);
    if (same(seenQuestions(own), seen["questions"]))
      return { ...result, ...maybe("question", own["question"]), ...maybe("choices", own["choices"]) };
    const first = items(seen["questions"])[0];
    if (typeof first?.["question"] !== "string") return result;
    const choices = items(first["options"]).flatMap(({ label }) => (typeof label === "string" ? [label] : []));
    return { ...result, question: first["question"], ...(choices.length > 0 ? { choices } : {}) };
  },
);

const child = record({ background: { to: "run_in_background" } }, [
  "goal",
  "tasks",
  "context",
  "toolsets",
  "role",
  "acp_command",
  "acp_args",
  "prompt",
]);

const goalOf = (own: Args): string | undefined => {
  if (typeof own["goal"] === "string") return own["goal"];
  const goals = items(own["tasks"]).flatMap((task) => (typeof task["goal"] === "string" ? [task["goal"]] : []));
  return goals.length > 0 ? goals.join("\n\n") : undefined;
};

/** A goal of ours is their prompt; of a batch it is all goals, and a rewrite of it turns the batch into one task. */
export const delegation: Lens<Args, Args> = keeping<Args, Args>(
  (own) => ({ ...child.get(own), ...maybe("prompt", goalOf(own)) }),
  (own, seen) => {
    const result = child.put(own, without(seen, ["prompt"]));
    if (goalOf(own) === seen["prompt"]) return result;
    return {
      ...without(result, ["goal", "tasks"]),
      ...(typeof seen["prompt"] === "string" ? { goal: seen["prompt"] } : {}),
    };
  },
);
