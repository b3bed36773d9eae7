/** Everything about one run as one value, with hashes that tie its parts together. */
import { z } from 'zod';
import { hashText } from '../base/hash-text.ts';
import type { Json } from '../base/json.ts';
import { canonicalJson } from '../base/json.ts';
import { runStream } from '../protocol/streams.ts';

export const CAPSULE_FORMAT = 'supervisor.capsule/1';
/** A file has to open in a browser. One with more is none that Supervisor wrote. */
export const FACTS_MAX = 5000;
export const DIFF_CHARS_MAX = 2_000_000;
const hash = z.string().regex(/^[0-9a-f]{64}$/);

/** A fact of the journal without secrets: text that was one may break its form, so only its head has one. */
const CapsuleFact = z.looseObject({
  ...{ seq: z.int().min(1), stream: z.string(), at: z.number(), type: z.string() },
});
export type CapsuleFact = z.infer<typeof CapsuleFact>;

/** What it is about, without secrets. */
const CapsuleContent = z.strictObject({
  format: z.literal(CAPSULE_FORMAT),
  /** The version of Supervisor that wrote it. */
  version: z.string().max(100),
  madeAt: z.number(),
  run: z.string().max(100),
  task: z.string(),
  /** What `status` says, as names and values. */
  facts: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  /** What `why` says. */
  story: z.array(
    z.strictObject({
      at: z.number(),
      what: z.string(),
      evidence: z.array(z.strictObject({ source: z.string(), line: z.string() })),
    }),
  ),
  /** How many facts before the first one were left out, because the file has a bound. */
  leftOut: z.int().min(0),
  events: z.array(CapsuleFact).max(FACTS_MAX),
  /** A unified diff. Null: the run has changed no files, or its work is gone. */
  diff: z
    .string()
    .max(2 * DIFF_CHARS_MAX) // what stands in place of a secret may be longer
    .nullable(),
});
export type CapsuleContent = z.infer<typeof CapsuleContent>;

export const CapsuleData = z.strictObject({
  content: CapsuleContent,
  /** One for each fact: of the fact and the hash before it. */
  chain: z.array(hash).max(FACTS_MAX),
  /** Of the content without its facts, and the last hash of the chain. */
  root: hash,
});
export type CapsuleData = z.infer<typeof CapsuleData>;

export function sealCapsule(content: CapsuleContent): CapsuleData {
  const chain = chainOf(content.events);
  return { content, chain: [...chain], root: rootOf(content, chain) };
}

/** Each hash covers every fact before it, so a fact that is changed, added, removed or moved shows. */
function chainOf(events: readonly CapsuleFact[]): readonly string[] {
  const chain: string[] = [];
  for (const event of events)
    chain.push(hashText(`${chain.at(-1) ?? ''}\n${canonicalJson(event as unknown as Json)}`));
  return chain;
}

function rootOf(content: CapsuleContent, chain: readonly string[]): string {
  return hashText(`${chain.at(-1) ?? ''}\n${canonicalJson({ ...content, events: [] })}`);
}

/** What does not fit together. Empty: all hashes are those of the content. */
export function checkCapsule({ content, chain, root }: CapsuleData): readonly string[] {
  const expected = chainOf(content.events);
  const wrong = content.events.findIndex((_, nth) => chain[nth] !== expected[nth]);
  const numbers = content.events.findIndex(({ seq }, nth) => seq !== content.leftOut + nth + 1);
  const foreign = content.events.find(({ stream }) => stream !== runStream(content.run));
  return [
    ...(wrong === -1
      ? []
      : [`Fact ${content.events[wrong]?.seq ?? wrong} does not have its hash.`]),
    ...(chain.length === expected.length
      ? []
      : [`There are ${expected.length} facts and ${chain.length} hashes.`]),
    ...(numbers === -1
      ? []
      : [
          `Fact ${content.events[numbers]?.seq ?? 0} is not in its place: one is missing or moved.`,
        ]),
    ...(foreign === undefined ? [] : [`Fact ${foreign.seq} is of another run.`]),
    ...(root === rootOf(content, chain)
      ? []
      : ['The facts, the story or the diff do not have their hash.']),
  ];
}
