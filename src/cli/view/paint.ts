import { styleText } from "node:util";

type Format = Parameters<typeof styleText>[0];

/** Colours text, or leaves it alone where colour is not wanted. */
export type Paint = (format: Format, text: string) => string;

export function paint(colour: boolean): Paint {
  return colour ? (format, text) => styleText(format, text, { validateStream: false }) : (_format, text) => text;
}
