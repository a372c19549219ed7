export type {
  CallStart,
  NewSession,
  SearchHit,
  SessionQuery,
  SessionRecord,
  SessionStore,
  StoredMessage,
} from "./store.ts";
