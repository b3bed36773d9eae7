import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { EscalationPolicy, Escalations, EscalatedIssue } from './escalation.ts';
import { DEFAULT_ESCALATION, escalate, NO_ESCALATIONS, settleEscalation } from './escalation.ts';

const policy: EscalationPolicy = {
  ...DEFAULT_ESCALATION,
  sameWithinMs: 1000,
  itemsMax: 2,
  itemsWithinMs: 1000,
};

class Desk {
  now: Escalations = NO_ESCALATIONS;

  say(agent: string, kind: string, nowMs: number, parent: 'own' | 'root' | 'none' = 'own'): string {
    const matter: EscalatedIssue = { agent, kind, what: 'x', choices: ['restart', 'stop'] };
    const { decision, escalations } = escalate(this.now, matter, policy, { nowMs, parent });
    this.now = escalations;
    if (decision.kind === 'tell') return decision.rung;
    return decision.kind === 'ask'
      ? `ask ${decision.choices.join('|')}`
      : `${decision.because} ${decision.times}`;
  }
}

describe('an issue that is not settled', () => {
  test('climbs to the parent, the root and a person, once on each step', () => {
    const desk = new Desk();
    const heard = [0, 1, 2, 3, 4].map((ms) => desk.say('a', 'spinning', ms));
    assert.deepEqual(heard, ['parent', 'root', 'ask restart|stop', 'known 4', 'known 5']);
  });

  test('starts with the root for a child of the root, and with a person for the root', () => {
    assert.equal(new Desk().say('a', 'spinning', 0, 'root'), 'root');
    assert.equal(new Desk().say('root', 'crashed', 0, 'none'), 'ask restart|stop');
  });

  test('is another issue for another kind or agent', () => {
    const desk = new Desk();
    assert.deepEqual(
      [desk.say('a', 'spinning', 0), desk.say('a', 'budget', 0), desk.say('b', 'spinning', 0)],
      ['parent', 'parent', 'parent'],
    );
  });

  test('is a new issue after a while, unless a person has it', () => {
    const desk = new Desk();
    desk.say('a', 'spinning', 0);
    assert.equal(desk.say('a', 'spinning', 1000), 'parent');
    desk.say('b', 'crashed', 0, 'none');
    assert.equal(desk.say('b', 'crashed', 900_000, 'none'), 'known 2');
  });

  test('starts at the lowest step again once it was settled', () => {
    const desk = new Desk();
    desk.say('a', 'spinning', 0);
    desk.now = settleEscalation(desk.now, { agent: 'a', kind: 'spinning' });
    assert.equal(desk.say('a', 'spinning', 1), 'parent');
  });

  test('reaches a person a limited number of times in a window; more are only counted', () => {
    const desk = new Desk();
    const heard = ['a', 'b', 'c', 'd'].map((agent) => desk.say(agent, 'crashed', 0, 'none'));
    assert.deepEqual(heard, ['ask restart|stop', 'ask restart|stop', 'enough 1', 'enough 1']);
    assert.equal(desk.say('c', 'crashed', 500, 'none'), 'enough 2');
    assert.equal(desk.say('e', 'crashed', 1000, 'none'), 'ask restart|stop');
    assert.ok(desk.now.askedMs.length <= policy.itemsMax);
  });
});
