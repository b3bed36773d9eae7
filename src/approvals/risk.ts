/**
 * How risky a change is: four tiers, decided from facts about it and never by an agent. The highest tier with a
 * reason counts.
 */
import { globMatcher } from '../context/glob.ts';
import type { ApprovalPolicy, Risk } from '../protocol/approval.ts';

/** What is known about a change before a person decides about it. */
export type ChangeFacts = {
  readonly paths: readonly string[];
  /** The share of lines that tests cover, in percent. Null: it was not measured. */
  readonly coverage: number | null;
  /** Changed code that no test reaches, as far as names tell. Not the code whose coverage is measured. */
  readonly untested: readonly string[];
  /** Whether every gate was green. A change without gates was not checked. */
  readonly gates: 'green' | 'red' | 'none';
  /** Why green gates prove less than they seem to. The person who approves the change has to know. */
  readonly gateLimits: readonly string[];
  /** The agent or a reviewer reports that callers have to change. */
  readonly breaking: boolean;
  /** Changed files that `apply` asks about: tests, settings of Supervisor, and what runs by itself. */
  readonly protectedPaths: readonly string[];
};

const PATHS_SHOWN = 3;

export function assessRisk(facts: ChangeFacts, policy: ApprovalPolicy): Risk {
  const critical = matching('critical', facts.paths, policy.critical.paths);
  if (critical.length > 0) return { tier: 'critical', reasons: [...critical, ...facts.gateLimits] };
  const high = highReasons(facts, policy);
  if (high.length > 0) return { tier: 'high', reasons: [...high, ...facts.gateLimits] };
  const medium = mediumReasons(facts, policy);
  if (medium.length > 0) return { tier: 'medium', reasons: medium };
  return {
    tier: 'low',
    reasons: [`${count(facts.paths.length)} changed, and every gate is green`],
  };
}

function highReasons(
  { paths, breaking }: ChangeFacts,
  { high }: ApprovalPolicy,
): readonly string[] {
  return [
    ...matching('sensitive', paths, high.paths),
    ...(breaking ? ['it changes how callers use the code'] : []),
    ...(paths.length > high.filesOver
      ? [`${count(paths.length)} changed, more than ${high.filesOver}`]
      : []),
  ];
}

/** Everything that keeps a change from passing by itself. */
function mediumReasons(
  { paths, coverage, untested, gates, gateLimits, protectedPaths }: ChangeFacts,
  { low }: ApprovalPolicy,
): readonly string[] {
  return [
    ...(gates === 'red' ? ['a gate is red'] : []),
    ...(gates === 'none' ? ['no gate has checked it'] : []),
    ...gateLimits,
    ...(paths.length > low.filesMax
      ? [`${count(paths.length)} changed, more than ${low.filesMax}`]
      : []),
    ...(protectedPaths.length > 0
      ? [`it changes tests, settings or files that run by themselves: ${list(protectedPaths)}`]
      : []),
    ...(coverage !== null && coverage < low.coverageMin
      ? [`tests cover ${coverage} % of the lines, less than ${low.coverageMin} %`]
      : []),
    ...(untested.length > 0 ? [`no test leads to ${list(untested)}`] : []),
  ];
}

function matching(
  word: string,
  paths: readonly string[],
  patterns: readonly string[],
): readonly string[] {
  const matches = globMatcher(patterns.map((pattern) => pattern.toLowerCase()));
  const found = paths.filter((path) => matches(path.toLowerCase()));
  return found.length === 0 ? [] : [`it changes ${word} files: ${list(found)}`];
}

function list(paths: readonly string[]): string {
  const shown = paths.slice(0, PATHS_SHOWN).join(', ');
  const more = paths.length - PATHS_SHOWN;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function count(files: number): string {
  return files === 1 ? '1 file' : `${files} files`;
}
