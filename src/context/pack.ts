/**
 * Packs as many fragments into a text as its token budget allows, the most important first. When a
 * fragment of a part does not fit, all less important parts are dropped, so that they never displace
 * something more important.
 */
import { Refusal } from '../base/errors.ts';
import { promptFence } from '../base/prompt-fence.ts';
import { hashText } from '../base/hash-text.ts';
import type { ContextCache } from './context-cache.ts';
import type { ExclusionReason } from './exclude.ts';
import type { Fragment } from './fragment.ts';
import { redactFragment } from './redact-fragment.ts';
import type { RedactText } from './redact-fragment.ts';
import { TokenBudget } from './token-budget.ts';
import type { PackedFragment } from './token-budget.ts';
import { countTokens, tokenizerMargin, TOKENIZER, usableTokens } from './tokenizer.ts';

export type PackOptions = {
  /** In the order of the prompt. */
  readonly pieces: readonly Fragment[];
  /** Parts, the most important first. Parts that are not listed come last. */
  readonly order: readonly string[];
  /** Required parts: if one does not fit, packing is refused. */
  readonly keep: readonly string[];
  readonly budget: number;
  /** The CLI whose tokenizer determines the margin. */
  readonly cli: string | null;
  /** Builds the whole prompt from its context. The budget is for the whole prompt. */
  readonly around: (context: string) => string;
  readonly redact: RedactText;
  readonly cache: ContextCache;
};

export type Packed = {
  readonly text: string;
  /** Tokens of the whole prompt, by our count. */
  readonly tokens: number;
  /** Tokens of the prompt without any context. */
  readonly frameTokens: number;
  readonly budget: number;
  /** The limit for our count. It keeps the vendor's count within the budget. */
  readonly usable: number;
  readonly tokenizer: string;
  readonly margin: number;
  readonly kept: readonly PackedFragment[];
  readonly dropped: readonly Dropped[];
  readonly leftOut: readonly ExcludedFragment[];
};

type Dropped = {
  readonly part: string;
  readonly name: string;
  readonly why: 'no room' | 'larger than the whole budget';
};
type ExcludedFragment = {
  readonly part: string;
  readonly name: string;
  readonly why: ExclusionReason;
};

const BATCH = 32;
/** After this many fragments that do not fit, the rest of a part is not loaded. */
const MISSES_MAX = 20;

export async function pack(options: PackOptions): Promise<Packed> {
  const { budget, cli, around, keep, cache } = options;
  const usable = usableTokens(budget, cli);
  const frameTokens = countTokens(around(''));
  if (frameTokens > usable) throw tooLarge('frame', frameTokens, usable, budget);
  const room = new TokenBudget(usable - frameTokens, cache);
  const dropped: Dropped[] = [];
  const leftOut: ExcludedFragment[] = [];

  let isFull = false;
  for (const pieces of byRank(options)) {
    let misses = 0;
    for (let from = 0; from < pieces.length; from += BATCH) {
      const batch = pieces.slice(from, from + BATCH);
      const unread = isFull || misses >= MISSES_MAX;
      const loaded = unread ? [] : await Promise.all(batch.map((piece) => load(piece, options)));
      for (const [index, piece] of batch.entries()) {
        const { part, name } = piece;
        const one = loaded[index];
        if (one?.kind === 'absent') continue;
        if (one?.kind === 'left-out') {
          leftOut.push({ part, name, why: one.why });
          continue;
        }
        const answer = one === undefined ? 'no room' : room.take({ piece, ...one });
        if (answer === 'taken') continue;
        if (keep.includes(part)) throw tooLarge(part, frameTokens + room.needed, usable, budget);
        dropped.push({ part, name, why: answer });
        if (answer === 'no room') misses += 1;
      }
    }
    if (misses > 0) isFull = true;
  }
  return {
    ...settle(options, room, dropped, usable),
    frameTokens,
    budget,
    usable,
    tokenizer: TOKENIZER,
    margin: tokenizerMargin(cli),
    leftOut,
  };
}

/** Token counts of parts do not add up exactly, so the whole text is counted and shortened until it fits. */
function settle(
  { pieces, around, keep, cache, budget }: PackOptions,
  room: TokenBudget,
  dropped: Dropped[],
  usable: number,
): Pick<Packed, 'text' | 'tokens' | 'kept' | 'dropped'> {
  const order = new Map(pieces.map((piece, index) => [piece, index]));
  for (;;) {
    const kept = room.kept.toSorted(
      (a, b) => (order.get(a.piece) ?? 0) - (order.get(b.piece) ?? 0),
    );
    const seed = kept.map(({ piece, hash }) => `${piece.tag}\0${piece.name}\0${hash}`).join('\0');
    // The seed determines the text, and the text and its frame determine the prompt.
    const from = hashText(seed);
    const text = cache.text(from, () => render(kept, seed));
    const key = hashText(`${hashText(around('\0'))}${from}`);
    const tokens = cache.tokens(key, () => countTokens(around(text)));
    if (tokens <= usable) return { text, tokens, kept, dropped };
    const last = room.kept.at(-1);
    if (last === undefined || keep.includes(last.piece.part))
      throw tooLarge(last?.piece.part ?? 'frame', tokens, usable, budget);
    room.giveBack();
    dropped.push({ part: last.piece.part, name: last.piece.name, why: 'no room' });
  }
}

function render(kept: readonly PackedFragment[], seed: string): string {
  const fence = promptFence(
    kept.map(({ text }) => text),
    seed,
  );
  return kept
    .map(({ piece, text }) => fence.around(piece.tag, text, { path: piece.name }))
    .join('');
}

/** Required parts first, then by rank. A fragment of two parts belongs to the first one. */
function byRank({ pieces, order, keep }: PackOptions): readonly (readonly Fragment[])[] {
  const rank = (part: string): number => {
    const at = order.indexOf(part);
    const ranked = at === -1 ? order.length : at;
    return keep.includes(part) ? ranked - order.length - 1 : ranked;
  };
  const parts = [...new Set(pieces.map(({ part }) => part))].toSorted((a, b) => rank(a) - rank(b));
  const taken = new Set<string>();
  return parts.map((part) =>
    pieces.filter((piece) => {
      const key = `${piece.tag}\0${piece.name}`;
      if (piece.part !== part || taken.has(key)) return false;
      taken.add(key);
      return true;
    }),
  );
}

async function load(piece: Fragment, { redact, cache }: PackOptions) {
  const loaded = await piece.load();
  return loaded.kind === 'text' ? redactFragment(loaded, piece.name, redact, cache) : loaded;
}

function tooLarge(part: string, needed: number, usable: number, budget: number): Refusal {
  return new Refusal({
    code: 'context.too-large',
    message: `The part ${part} does not fit: it needs at least ${needed} tokens, and ${usable} of the budget of ${budget} are usable.`,
    hint: 'Name fewer or smaller targets, shorten the task, or raise context.token_budget of the role (limits.max_token_budget of a workflow).',
    details: { part, needed, usable, budget },
  });
}
