import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ErrorCode } from '../protocol/error-codes.ts';
import { ERROR_CODES } from '../protocol/error-codes.ts';
import { RunOutcome } from '../protocol/outcome.ts';
import { EXIT, exitCodeFor, exitCodeOf } from './exit-codes.ts';

test('each outcome of a run has its exit code', () => {
  const kinds = RunOutcome.shape.kind.options;
  assert.deepEqual(
    Object.fromEntries(kinds.map((kind) => [kind, exitCodeOf({ kind, reason: '' })])),
    {
      succeeded: 0,
      unverified: 0,
      failed: 1,
      refused: 1,
      exhausted: 1,
      blocked: 1,
      cancelled: 130,
      killed: 137,
    },
  );
});

describe('the exit code of an error', () => {
  const rows: [why: string, exit: number, codes: ErrorCode[]][] = [
    ['a flag or a value is wrong', 2, ['usage.invalid', 'request.invalid', 'request.key-reused']],
    [
      'a name does not exist, or fits several things',
      2,
      [
        ...(['agent.unknown', 'agent.not-found', 'agent.ambiguous'] as const),
        ...(['run.not-found', 'run.ambiguous', 'role.not-found', 'workflow.not-found'] as const),
        ...(['strategy.not-found', 'template.not-found', 'context.unknown-target'] as const),
      ],
    ],
    [
      'a file or folder that the user wrote or chose is wrong',
      2,
      [
        ...(['config.invalid', 'config.unreadable', 'role.invalid', 'strategy.invalid'] as const),
        ...(['workflow.invalid', 'feature.invalid'] as const),
        ...(['template.invalid', 'home.unusable', 'setup.missing'] as const),
      ],
    ],
    [
      'the state of runs and agents does not allow it',
      1,
      [
        ...(['agent.name-taken', 'agent.ended', 'agent.too-many', 'run.already-ended'] as const),
        ...(['run.asks-nothing', 'workspace.not-found', 'cooldown.not-found'] as const),
        'run.no-next-agent' as const,
      ],
    ],
    [
      'this machine does not allow it',
      1,
      ['agent.no-key', 'agent.unavailable', 'sandbox.unavailable', 'machine.fault', 'store.full'],
    ],
    [
      'a proof or the approval of a person is missing',
      3,
      ['run.unproven', 'apply.unverified', 'workspace.needs-approval', 'project.untrusted'],
    ],
    ['it is unknown whether the command was accepted', 75, ['request.outcome-unknown']],
    ['a bug', 70, ['internal.defect']],
    ['an attempt failed', 1, ['attempt.rate-limited', 'attempt.crashed']],
  ];
  for (const [why, exit, codes] of rows)
    test(`is ${exit} if ${why}`, () =>
      assert.deepEqual(
        codes.map((code) => [code, exitCodeFor(code)]),
        codes.map((code) => [code, exit]),
      ));

  test('is that of the outcome if the code only repeats how a run ended', () => {
    const bad = RunOutcome.shape.kind.options.filter(
      (kind) => exitCodeOf({ kind, reason: '' }) > 0,
    );
    for (const kind of bad)
      assert.equal(exitCodeFor(`run.${kind}` as ErrorCode), exitCodeOf({ kind, reason: '' }), kind);
  });

  test('is 2 for every code of a name that does not exist, unless the thing exists without it', () => {
    const absent = ERROR_CODES.filter((code) => code.endsWith('.not-found'));
    assert.deepEqual(
      absent.filter((code) => exitCodeFor(code) !== EXIT.usage),
      ['breaker.not-found', 'cooldown.not-found', 'workspace.not-found'],
    );
  });

  test('is never 0', () =>
    assert.deepEqual(
      ERROR_CODES.filter((code) => exitCodeFor(code) < 1),
      [],
    ));
});
