/** The messages that the agent of this gateway is told: which it looks for in requests, and which it inserts itself. */
import { conversationItems, findBoundary, insertTexts, placeHashes } from '../calls/insert-text.ts';
import type { CallAbout } from '../gateway-facts.ts';
import type { RequestBody } from '../screen/screen.ts';

export type ToldMessage = {
  readonly id: string;
  /** A part of the text that no other text has. JSON writes it as it is. */
  readonly mark: string;
  /** What the gateway inserts. Null: it only looks for the mark. */
  readonly text: string | null;
};

export type SeenMessage = { readonly message: string; readonly times: number };

/** A conversation that is forked often has many places. The oldest are forgotten first. */
const PLACES_MAX = 1000;

export class ToldMessages {
  readonly #expected = new Map<string, ToldMessage>();
  /** The texts by place, as the provider has read them. */
  readonly #places = new Map<string, string>();

  tell(message: ToldMessage): void {
    this.#expected.set(message.id, message);
  }

  withdraw(id: string): void {
    this.#expected.delete(id);
  }

  /** Whether there is anything to insert, now or again. */
  get inserts(): boolean {
    return this.#places.size > 0 || this.#next() !== undefined;
  }

  /** The body with every text at its place, and with the next text if the agent has just finished a tool call. */
  insert(
    { wire, kind }: Pick<CallAbout, 'wire' | 'kind'>,
    key: string,
    body: RequestBody,
  ): RequestBody {
    const items = conversationItems(body, key);
    if (items === undefined || (kind !== 'main' && kind !== 'sub')) return body;
    const hashes = placeHashes(items);
    const next = this.#next();
    const at = kind === 'main' && next !== undefined ? findBoundary(wire, items) : undefined;
    const place = at === undefined ? undefined : hashes[at];
    // A text whose call failed is still expected, and may have a place in this conversation already.
    const isPlaced = hashes.some((hash) => this.#places.get(hash) === next?.text);
    if (place !== undefined && next !== undefined && !isPlaced && !this.#places.has(place)) {
      this.#places.set(place, next.text);
      const [oldest] = this.#places.keys();
      if (this.#places.size > PLACES_MAX && oldest !== undefined) this.#places.delete(oldest);
    }
    if (!hashes.some((hash) => this.#places.has(hash))) return body;
    return { ...body, [key]: insertTexts(wire, items, hashes, this.#places) };
  }

  /** The messages that this answered request of the main conversation has. Each is reported once. */
  look({ kind }: Pick<CallAbout, 'kind'>, answered: Buffer): readonly SeenMessage[] {
    if (kind !== 'main' || this.#expected.size === 0) return [];
    const found = [...this.#expected.values()].flatMap(({ id, mark }) => {
      const times = countIn(answered, mark);
      return times === 0 ? [] : [{ message: id, times }];
    });
    for (const { message } of found) this.#expected.delete(message);
    return found;
  }

  /** One at a time: a second text at the same place would share its turn. */
  #next(): (ToldMessage & { readonly text: string }) | undefined {
    for (const { text, ...rest } of this.#expected.values())
      if (text !== null) return { ...rest, text };
    return undefined;
  }
}

function countIn(body: Buffer, mark: string): number {
  let times = 0;
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) times += 1;
  return times;
}
