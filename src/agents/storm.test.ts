import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isWorthReporting, reactToHealth, reactToViolation } from '../monitors/reactions.ts';
import type { Signal } from '../protocol/signal.ts';
import { driveAgent } from '../../test/support/drive-agent.ts';

const violation = { rule: 'folders', action: 'notify', what: 'writes to /etc/x' } as const;

/** The signals of the monitors when an agent breaks a rule a thousand times. */
function storm(): readonly Signal[] {
  return Array.from({ length: 1000 }, (_, index) => index + 1)
    .filter(isWorthReporting)
    .flatMap((times) => reactToViolation(violation, times));
}

describe('a storm of violations', () => {
  test('leads to a few facts and one question to a person', () => {
    const signals = storm();
    assert.equal(signals.length, 32);
    const { questions, state, trace } = driveAgent({
      turns: ['open'],
      says: { 'attempt-1': signals },
    });
    assert.deepEqual(questions, []); // the turn is still running, so the script ends before the answer
    assert.equal(state.issues.open.length, 1);
    assert.equal(state.issues.open[0]?.question, 'ada: It writes to /etc/x (rule "folders").');
    assert.deepEqual(trace, ['turn']);
  });

  test('reaches its parent and the root once each before a person', () => {
    const { state } = driveAgent({
      life: { parent: 'p' },
      turns: ['open'],
      says: { 'attempt-1': storm() },
    });
    assert.deepEqual(
      state.mailbox.outgoing.map(({ to }) => to),
      ['parent', 'root'],
    );
    assert.equal(state.issues.open.length, 1);
  });

  test('of every kind at once is bounded too', () => {
    const spinning = { kind: 'spinning', call: 'x', times: 9, action: 'notify' } as const;
    const signals = Array.from({ length: 1000 }, (_, index): Signal[] => [
      { kind: 'issue', issue: { kind: `kind ${index}`, what: 'x', choices: ['continue'] } },
      ...reactToHealth(spinning, 1),
    ]).flat();
    const { state } = driveAgent({ turns: ['open'], says: { 'attempt-1': signals } });
    assert.ok(state.issues.open.length <= 10, `${state.issues.open.length} questions`);
    assert.ok(JSON.stringify(state).length < 200_000);
  });
});
