/** One cause in the explanation of a run. */
import { z } from 'zod';
import { joinLines, keepEnd } from '../../base/text.ts';
import type { Evidence } from './failure-record.ts';

const EvidenceSchema = z.strictObject({ source: z.string(), line: z.string(), rule: z.string() });

export const WhyLink = z.strictObject({
  at: z.number(),
  what: z.string(),
  evidence: z.array(EvidenceSchema),
  /** The story is clear without it. */
  isDetail: z.literal(true).exactOptional(),
});
export type WhyLink = z.infer<typeof WhyLink>;

const EVIDENCE_MAX = 2;
const TEXT_MAX = 300;

export function link(at: number, what: string, evidence: readonly Evidence[] = []): WhyLink {
  return {
    at,
    what: keepEnd(what, TEXT_MAX),
    evidence: evidence
      .slice(0, EVIDENCE_MAX)
      .map(({ source, line, rule }) => ({ source, line, rule })),
  };
}

/** The same with its whole text, for the end of a run. */
export function wholeLink(at: number, what: string): WhyLink {
  return { at, what: joinLines(what), evidence: [] };
}

/** The same, for a person who asks for everything. */
export function detail(at: number, what: string): WhyLink {
  return { ...link(at, what), isDetail: true };
}
