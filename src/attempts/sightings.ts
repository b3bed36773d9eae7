/**
 * What the agent of an attempt is seen doing, told while it does it to whoever watches over it. Paths are
 * told as those of the user's own tree, whose copy it works in.
 */
import { posix } from 'node:path';
import type { AgentEvent } from '../agents/event.ts';
import { deedsOfTool } from '../agents/tool-deeds.ts';
import type { Clock } from '../base/clock.ts';
import type { RunId } from '../base/ids.ts';
import type { GatewayFact } from '../gateway/facts.ts';
import type { Purse } from '../gateway/purse.ts';
import { hashText } from '../host/hash-text.ts';
import type { Deed, Share, Sighting } from '../protocol/deed.ts';
import type { Redactor } from '../redaction/redactor.ts';

/** Never throws, and takes no time of the caller's. */
export type OnDeed = (run: RunId, sighting: Sighting) => void;

/** Where an agent works, and which folder of the user's that is a copy of; the same where it is none. */
export type WorkTree = { readonly folder: string; readonly copyOf: string };

const CALL_CHARS_MAX = 200;
const HASH_DIGITS = 12;

/** The same for the same tool with the same arguments, and short enough to be shown. */
export function callOf({ tool, args, input }: Extract<AgentEvent, { kind: 'used-tool' }>): string {
  const whole = typeof input === 'string' ? input : JSON.stringify(input ?? '');
  const words = args === '' ? tool : `${tool} ${args}`;
  if (whole.length <= CALL_CHARS_MAX && words.length <= CALL_CHARS_MAX) return words;
  return `${words.slice(0, CALL_CHARS_MAX)} #${hashText(whole).slice(0, HASH_DIGITS)}`;
}

/** What one event of the agent's own shows. `cwd` is where it was started. */
export function sightingsOf(event: AgentEvent, tree: WorkTree, cwd: string): readonly Sighting[] {
  if (event.kind !== 'used-tool') return [];
  const deeds = deedsOfTool(event.tool, event.input);
  return [{ kind: 'call', call: callOf(event) }, ...deeds.map((deed) => atHome(deed, tree, cwd))];
}

function atHome(deed: Deed, { folder, copyOf }: WorkTree, cwd: string): Deed {
  if (deed.kind !== 'write') return deed;
  const path = posix.resolve(cwd, deed.path);
  const inside = posix.relative(folder, path);
  const isInside = inside !== '..' && !inside.startsWith('../');
  return { kind: 'write', path: isInside ? posix.join(copyOf, inside) : path };
}

/** What a run's turns have changed, as one sighting however much it is. */
export function changesIn(
  paths: readonly string[],
  { tree, redactor }: { readonly tree: WorkTree; readonly redactor: Redactor | null },
): Sighting {
  const whole = paths.map((path) => posix.join(tree.copyOf, path)).join('\0');
  const clean = redactor === null ? whole : redactor.text(whole);
  return { kind: 'changed', paths: clean === '' ? [] : clean.split('\0') };
}

/** What the gateway of an attempt shows: spending, and ways out that are none. `clean` takes secrets out. */
export function sightingsOfFact(
  fact: GatewayFact,
  purses: readonly Purse[],
  clock: Clock,
  clean: (text: string) => string,
): readonly Sighting[] {
  if (fact.kind === 'call-settled') {
    const own = purses.find(({ scope }) => scope === 'run');
    if (own === undefined) return [];
    return [
      { kind: 'spend', usd: own.ledger.spent.usd },
      { kind: 'purse', shares: sharesOf(own, clock) },
    ];
  }
  if (fact.kind !== 'stranger-refused') return [];
  const [, host] =
    /^(?:CONNECT |\w+ https?:\/\/)([\w.-]+|\[[\da-f:]+\])/i.exec(clean(fact.what)) ?? [];
  return host === undefined ? [] : [{ kind: 'connect', host }];
}

function sharesOf({ ledger: { caps, spent, begunAt } }: Purse, clock: Clock): readonly Share[] {
  const all = [
    { limit: 'usd', spent: spent.usd, cap: caps.usd },
    { limit: 'tokens', spent: spent.tokens, cap: caps.tokens },
    { limit: 'calls', spent: spent.calls, cap: caps.calls },
    { limit: 'wall', spent: clock.now() - begunAt, cap: caps.wallMs },
  ] as const;
  return all.flatMap(({ cap, ...share }) => (cap === null ? [] : [{ ...share, cap }]));
}
