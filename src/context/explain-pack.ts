import type { Packed } from './pack.ts';
import { countTokens } from './tokenizer.ts';

export type ExplainedPart = {
  readonly part: string;
  readonly tokens: number;
  readonly pieces: readonly { readonly name: string; readonly tokens: number }[];
};

/** The tokens of each part of a context without its tags, in the order of the prompt. */
export function explainPack({ kept }: Pick<Packed, 'kept'>): readonly ExplainedPart[] {
  const parts = new Map<string, { readonly name: string; readonly tokens: number }[]>();
  for (const { piece, text } of kept) {
    const pieces = parts.get(piece.part) ?? [];
    pieces.push({ name: piece.name, tokens: countTokens(text) });
    parts.set(piece.part, pieces);
  }
  return [...parts].map(([part, pieces]) => ({
    part,
    tokens: pieces.reduce((sum, { tokens }) => sum + tokens, 0),
    pieces,
  }));
}
