import { Socket } from "node:net";
import { linesOf } from "./line-channel.ts";

/** The child's end of a `LineChannel`. */
export interface LineChannelEnd {
  /** Text with its line end. */
  send(text: string): void;
}

/** Takes hold of the channel that this process was started with. `onEnd`: the other side has closed it, or is gone. */
export function lineChannelEnd(
  descriptor: number,
  { onLine, onEnd }: { readonly onLine: (line: string) => void; readonly onEnd: () => void },
): LineChannelEnd {
  const socket = new Socket({ fd: descriptor, readable: true, writable: true });
  socket.on("error", () => onEnd()).on("end", onEnd);
  socket.setEncoding("utf8").on("data", linesOf(onLine));
  return { send: (text) => void (socket.writable && socket.write(text)) };
}
