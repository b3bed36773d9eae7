/** Schema of the section `approvals`: how risky a change is, and who must approve it in a workflow. */
import { z } from 'zod';
import type { ApprovalTimeout, RiskTier } from '../protocol/approval.ts';
import { KEYS, amount, duration, matching, whole } from './schema-fields.ts';

const PATTERNS_MAX = 200;
const pattern = matching(
  /^(?!\/)(?!.*(^|\/)\.\.?(\/|$))[^\0\n]{1,500}$/,
  'a pattern of paths inside the project, such as src/payment/**',
);
const patterns = z
  .array(pattern, { error: 'a list of patterns' })
  .max(PATTERNS_MAX, { error: `a list of up to ${PATTERNS_MAX} patterns` });
const approver = matching(
  /^[a-z][a-z0-9_.-]{0,63}$/,
  'the name of an approver or of a group, in lowercase letters',
);
const approvers = z.array(approver, { error: 'a list of names' }).max(100, {
  error: 'a list of up to 100 names',
});

/** Code about logins, money and interfaces that others use. */
const SENSITIVE = [
  '**/*auth*',
  '**/*auth*/**',
  '**/*login*',
  '**/*payment*',
  '**/*payment*/**',
  '**/*billing*',
  '**/*billing*/**',
  '**/security/**',
  'api/**',
  '**/openapi*',
] as const;
/** Code and files that keep secrets, and what runs in production. */
const CRITICAL = [
  '**/*encrypt*',
  '**/*crypto*',
  '**/*secret*',
  '**/*credential*',
  '**/*.pem',
  '**/*.key',
  '**/.env*',
  '**/*production*',
  '**/*production*/**',
  '**/*.tf',
] as const;

function timeout(tier: RiskTier) {
  return duration('1s', '365d')
    .nullable()
    .prefault(null)
    .describe(
      `How long a request of ${tier} risk waits for a person, such as 4h. Default: it has no time limit.`,
    );
}

function onTimeout(tier: RiskTier) {
  return z
    .enum(['park', 'deny'], { error: 'park or deny, because time never approves' })
    .prefault('park')
    .describe(
      `What follows when the time of a request of ${tier} risk is over. park: it stays open. deny: it is rejected. Default: park.`,
    );
}

function limit(
  tier: RiskTier,
  afterMs: number | null,
  whenOver: ApprovalTimeout['onTimeout'],
): Partial<Record<RiskTier, ApprovalTimeout>> {
  return afterMs === null ? {} : { [tier]: { afterMs, onTimeout: whenOver } };
}

export const Approvals = z
  .strictObject(
    {
      low_files_max: whole(0, 10_000)
        .prefault(2)
        .describe('A change of more files is not of low risk. Default: 2.'),
      low_coverage_min: amount(0, 100)
        .prefault(80)
        .describe(
          'A change with less test coverage, in percent, is not of low risk. Default: 80. Not used if no gate measures it.',
        ),
      high_paths: patterns
        .prefault([...SENSITIVE])
        .describe('A change of such a file is of high risk. Compared in lower case.'),
      high_files_over: whole(1, 100_000)
        .prefault(20)
        .describe('A change of more files than this is of high risk. Default: 20.'),
      critical_paths: patterns
        .prefault([...CRITICAL])
        .describe('A change of such a file is of critical risk. Compared in lower case.'),
      critical_people: whole(1, 10)
        .prefault(2)
        .describe('How many different people approve a change of critical risk. Default: 2.'),
      high_approvers: approvers
        .prefault([])
        .describe('Who may approve a change of high risk. Default: any approver.'),
      critical_approvers: approvers
        .prefault([])
        .describe('Who may approve a change of critical risk. Default: any approver.'),
      low_timeout: timeout('low'),
      low_on_timeout: onTimeout('low'),
      medium_timeout: timeout('medium'),
      medium_on_timeout: onTimeout('medium'),
      high_timeout: timeout('high'),
      high_on_timeout: onTimeout('high'),
      critical_timeout: timeout('critical'),
      critical_on_timeout: onTimeout('critical'),
    },
    KEYS,
  )
  .transform((written) => ({
    low: { filesMax: written.low_files_max, coverageMin: written.low_coverage_min },
    high: { paths: written.high_paths, filesOver: written.high_files_over },
    critical: { paths: written.critical_paths, peopleMin: written.critical_people },
    approvers: { high: written.high_approvers, critical: written.critical_approvers },
    timeouts: {
      ...limit('low', written.low_timeout, written.low_on_timeout),
      ...limit('medium', written.medium_timeout, written.medium_on_timeout),
      ...limit('high', written.high_timeout, written.high_on_timeout),
      ...limit('critical', written.critical_timeout, written.critical_on_timeout),
    },
  }));
