/** Random definitions of workflows, and a world that answers their commands at random and checks their rules. */
import assert from 'node:assert/strict';
import { at } from '../../src/base/clock.ts';
import type { Json } from '../../src/base/json.ts';
import type { Random } from '../../src/base/random.ts';
import { randomInt, randomItem } from '../../src/base/random.ts';
import type { Ledger } from '../../src/engine/ledger.ts';
import { EMPTY_LEDGER, foldLedger, freshMoves } from '../../src/engine/ledger.ts';
import { failureClass } from '../../src/failures/failure.ts';
import type { CommandBegun } from '../../src/protocol/commands.ts';
import type { NewRunEvent } from '../../src/protocol/event.ts';
import { EVENT_VERSION } from '../../src/protocol/event.ts';
import { FAILURE_REASONS } from '../../src/protocol/failure-reason.ts';
import type { RunOutcome } from '../../src/protocol/outcome.ts';
import type { WorkflowDefinition, WorkflowStep } from '../../src/protocol/workflow-definition.ts';
import { workflowProgram } from '../../src/workflow/workflow-program.ts';
import type { WorkflowState } from '../../src/workflow/workflow-state.ts';
import { begunCommand } from './begun-command.ts';
import { runEvent } from './run-event.ts';
import type { LooseEnd } from './run-event.ts';
import {
  command,
  commit,
  definition,
  gate,
  human,
  review,
  role,
  workflowSubmission,
} from './workflow-fixture.ts';

const IDS = ['one', 'two', 'three', 'four', 'five', 'six'] as const;
const WRITERS = ['coder', 'tester', 'helper'] as const;
const ROLES = ['planner', 'ann', ...WRITERS] as const;

export function randomDefinition(random: Random): WorkflowDefinition {
  const ids = IDS.slice(0, randomInt(random, 1, IDS.length)) as [string, ...string[]];
  const flip = (share: number): boolean => random() < share;
  const anyStep = (share: number): string | null => (flip(share) ? randomItem(random, ids) : null);
  const step = (place: number): Omit<WorkflowStep, 'id'> => {
    // Mostly forward, so that some workflows come to their end.
    const next = flip(0.1) ? anyStep(1) : (ids[place + 1] ?? null);
    const common = {
      onFail: anyStep(0.6),
      required: flip(0.7),
      humanApproval: flip(0.15),
      outputs: { what: 'summary' },
      retry: {
        attemptsMax: randomInt(random, 1, 3),
        whenUsedUp: randomItem(random, ['fail', 'ask', 'degrade'] as const),
      },
    };
    const onReject = anyStep(0.7);
    const gates = ['lint', 'test'].slice(0, randomInt(random, 0, 2));
    switch (randomInt(random, 0, 7)) {
      case 0:
        return gate(gates, next, common);
      case 1:
        return human(next, { ...common, onReject });
      case 2: {
        const agree = randomItem(random, ['all', 'any', 'majority'] as const);
        const reviewers = ['ann', 'bob', 'helper'].slice(0, randomInt(random, 1, 3));
        return review(reviewers, next, { ...common, onReject, agree });
      }
      case 3:
        return command(['make', '${what}'], next, common);
      case 4:
        return commit({ ...common, next, before: gates.map((name) => ({ ...PLAIN, name })) });
      default:
        return role(randomItem(random, ROLES), next, { ...common, onReject });
    }
  };
  return definition(Object.fromEntries(ids.map((id, place) => [id, step(place)])), {
    limits: { stepsMax: randomInt(random, 1, 30), roundsMax: randomInt(random, 0, 3) },
    git: { autoCommit: flip(0.5) },
    ...(flip(0.7)
      ? { continuity: { roles: [...ROLES.slice(1)], turnsMax: randomInt(random, 1, 2) } }
      : {}),
  });
}

const PLAIN = { command: ['make'], timeoutMs: 1 };

type Judged = {
  readonly step: string;
  readonly gate: string;
  readonly content: string;
  readonly isGreen: boolean;
};

export class RandomWorkflow {
  state: WorkflowState & { readonly [key: string]: Json };
  ledger: Ledger = EMPTY_LEDGER;
  outcome: RunOutcome | null = null;
  /** Questions of people are answered so that the workflow ends. */
  isEnding = false;
  readonly #definition: WorkflowDefinition;
  readonly #random: Random;
  readonly #begun = new Map<string, CommandBegun>();
  readonly #judged: Judged[] = [];
  /** The role that had each conversation. */
  readonly #conversations = new Map<string, string>();
  /** The conversations that were continued, by the run that began the first of them. */
  readonly #continued = new Map<string, Set<string>>();
  #facts = 0;
  #now = 1_000_000;

  constructor(definition: WorkflowDefinition, random: Random) {
    this.#definition = definition;
    this.#random = random;
    this.state = workflowProgram.start(workflowSubmission(definition));
  }

  get facts(): number {
    return this.#facts;
  }

  /** Begins everything that the workflow wants. */
  advance(): void {
    for (let times = 0; times < 50 && this.outcome === null; times += 1) {
      const wanted = workflowProgram.next(this.state, at(this.#now), this.#random());
      const fresh = freshMoves(this.ledger, wanted);
      if (fresh.length === 0) {
        assert.ok(this.ledger.open.length > 0, 'it is never stuck');
        return;
      }
      for (const move of fresh) {
        assert.equal(this.outcome, null, 'nothing follows the end');
        if (move.kind === 'finish') {
          assert.deepEqual(this.ledger.open, [], 'nothing is open at the end');
          this.outcome = move.outcome;
          this.#checkOutcome(move.outcome);
        } else if (move.kind === 'cancel') {
          this.#write({ type: 'command.cancelled', payload: { key: move.key, how: move.how } });
          this.#end(move.key, true);
        } else if (move.kind !== 'park') {
          assert.equal(this.state.stop, null, 'nothing begins after a stop');
          const { command, input } = begunCommand(move);
          const payload = { key: move.key, command, input, limits: [] };
          const event = runEvent({ type: 'command.begun', payload });
          this.#begun.set(move.key, event.payload);
          this.#checkConversation(event.payload);
          this.#write(event);
        }
      }
      this.#checkOpen();
    }
    assert.ok(this.outcome !== null, 'it decides without end');
  }

  /** A person stops it, or one of its commands ends. */
  happen(): void {
    if (!this.isEnding && this.#random() < 0.01) {
      const kind = this.#random() < 0.5 ? 'stop' : 'kill';
      this.#write({ type: 'signal.received', payload: { signal: { kind } } });
      return;
    }
    const [first, ...rest] = this.ledger.open;
    if (first === undefined) return;
    this.#end(randomItem(this.#random, [first, ...rest]).key, false);
  }

  #write(event: NewRunEvent): void {
    this.#facts += 1;
    this.#now += randomInt(this.#random, 0, 60_000);
    const position = { id: this.#facts, stream: 'run/a', seq: this.#facts + 1, v: EVENT_VERSION };
    const stored = { ...position, at: this.#now, ...event };
    const before = this.state;
    this.state = workflowProgram.fold(before, stored);
    this.ledger = foldLedger(this.ledger, stored);
    this.#checkWork(before, event);
    assert.deepEqual(JSON.parse(JSON.stringify(this.state)) as Json, this.state);
  }

  #end(key: string, isCancelled: boolean): void {
    const begun = this.#begun.get(key);
    assert.ok(begun !== undefined);
    const end = this.#howItEnds(begun, isCancelled);
    const { stage } = this.state;
    const step = stage.kind === 'step' ? stage.visit.step : '';
    if (begun.command === 'gate' && end.kind === 'done' && begun.input.work !== undefined)
      this.#judged.push({
        ...{ step, gate: begun.input.name, content: begun.input.work.content },
        isGreen: (end.result as { kind?: string }).kind === 'passed',
      });
    const payload = { key, command: begun.command, end };
    this.#write(runEvent({ type: 'command.ended', payload }));
  }

  #howItEnds(begun: CommandBegun, isCancelled: boolean): LooseEnd {
    const random = this.#random;
    const done = (result: object): LooseEnd => ({ kind: 'done', result });
    const engines = begun.command === 'ask' || begun.command === 'wait' || begun.command === 'run';
    if (!engines && random() < 0.05) return { kind: 'interrupted' };
    if (!engines && random() < 0.03) return { kind: 'defect', message: 'oops' };
    switch (begun.command) {
      case 'prepare-step': {
        const { settings } = workflowSubmission(this.#definition);
        const submission = { program: 'attempts', task: '', project: '/app', settings };
        if (random() < 0.05 || isCancelled) return done({ kind: 'refused', why: 'no' });
        if (begun.input.breaker !== undefined && random() < 0.03)
          return done({ kind: 'breaker-open', why: 'it failed too often' });
        return done({
          kind: 'prepared',
          submission,
          ...(random() < 0.2 ? { isCounted: true } : {}),
        });
      }
      case 'run': {
        const kind = isCancelled ? 'cancelled' : random() < 0.7 ? 'unverified' : 'failed';
        const run = random() < 0.03 ? null : begun.input.run;
        return done({ run, outcome: { kind, reason: 'so' } });
      }
      case 'collect-step':
        return done(this.#collected(begun));
      case 'gate': {
        const { name } = begun.input;
        const how = random();
        if (how < 0.6) return done({ kind: 'passed', name });
        if (how < 0.7) return done({ kind: 'unable', name, why: 'it is not there' });
        return done({ kind: 'failed', name, exit: 1, tail: 'red' });
      }
      case 'assess-change': {
        const tiers = ['low', 'medium', 'high', 'critical'];
        return done({ tier: tiers[Math.floor(random() * tiers.length)], reasons: ['so'] });
      }
      case 'update-breaker':
        return done({ state: random() < 0.3 ? 'open' : 'closed', failures: 1 });
      case 'commit-work':
        return random() < 0.7
          ? done({ kind: 'committed', branch: 'b', commit: 'c0ffee', pullRequest: null })
          : done({ kind: 'refused', why: 'The branch has moved.', ref: 'r' });
      case 'ask':
        return isCancelled ? done({ cancelled: true }) : done({ answer: this.#answer(begun) });
      case 'wait':
        return done(isCancelled ? { cancelled: true } : {});
      case 'attempt':
      case 'baseline':
      case 'setup':
      case 'finalize':
      case 'check-availability':
      case 'set-cooldown':
      case 'claim-item':
      case 'deliver-message':
      case 'release-item':
      case 'send-message':
      case 'broadcast':
      case 'open-base':
      case 'merge-work':
      case 'write-interfaces':
        throw new Error(`a workflow does not perform ${begun.command}`);
    }
  }

  #answer({ input }: CommandBegun<'ask'>): string {
    const { choices = [] } = input;
    if (this.isEnding) return choices.includes('stop') ? 'stop' : 'reject';
    return randomItem(this.#random, ['well', ...choices, ...choices, ...choices]);
  }

  #collected({ input }: CommandBegun<'collect-step'>): object {
    const random = this.#random;
    const session = `s${this.#facts}`;
    const { stage } = this.state;
    const step = stage.kind === 'step' ? this.#definition.steps[stage.visit.step] : undefined;
    if (step?.kind === 'role') this.#conversations.set(session, step.role);
    const conversation =
      input.conversation === true && random() < 0.8
        ? { conversation: { agent: 'a', identity: 'a', session } }
        : {};
    const point = { run: 'r', tree: 1, commit: `c${this.#facts}` };
    const content = `content ${randomInt(random, 1, 4)}`;
    const reason = randomItem(random, FAILURE_REASONS);
    const isFailed = random() < 0.3;
    const status = randomItem(random, [
      ...['SUCCESS', 'SUCCESS', 'COMPLETE', 'APPROVED', 'APPROVED', 'PARTIAL', 'BLOCKED'],
      ...['CHANGES_REQUESTED', 'NEEDS_REVISION', 'nonsense'],
    ] as [string]);
    const issues = [
      {
        severity: 'low',
        description: `problem ${String.fromCharCode(97 + randomInt(random, 0, 3))}`,
      },
    ];
    return {
      ...conversation,
      answer: random() < 0.1 ? null : { status, review_status: 'APPROVED', issues, blockers: [] },
      summary: 'so',
      work:
        random() < 0.2 ? null : { ...point, content, files: 1, added: 1, deleted: 0, names: [] },
      base: random() < 0.9 ? { ...point, content: 'base' } : null,
      failure: isFailed
        ? { ...failureClass(reason), reason, message: 'why', resetAt: null, evidence: [] }
        : null,
    };
  }

  /** Only roles that may continue do, each its own conversation, and not more often than the definition says. */
  #checkConversation({ command, input }: CommandBegun): void {
    if (command !== 'prepare-step' || input.continues === undefined) return;
    const { roles = [], turnsMax = 0 } = this.#definition.continuity ?? {};
    const { session, folderOf } = input.continues;
    assert.ok(roles.includes(input.role), `${input.role} may not continue a conversation`);
    assert.equal(this.#conversations.get(session), input.role, 'it continues its own conversation');
    const continued = this.#continued.get(folderOf) ?? new Set<string>();
    this.#continued.set(folderOf, continued.add(session));
    assert.ok(continued.size <= turnsMax, 'no conversation is continued too often');
  }

  /** Only reviewers work side by side. */
  #checkOpen(): void {
    const { stage, open, counts } = this.state;
    assert.deepEqual(
      open.map(({ key }) => key),
      this.ledger.open.map(({ key }) => key),
      'it knows what is open',
    );
    const step = stage.kind === 'step' ? this.#definition.steps[stage.visit.step] : undefined;
    if (open.length > 1) assert.equal(step?.kind, 'review', 'only reviewers work side by side');
    assert.ok(counts.step <= this.#definition.limits.stepsMax, 'it begins no step too many');
  }

  /** The work moves when a step that writes is collected, or returns to what it was. */
  #checkWork(before: WorkflowState, event: NewRunEvent): void {
    const { work } = this.state;
    if (work?.content === before.work?.content) return;
    assert.ok(event.type === 'command.ended', 'only the end of a command moves the work');
    const { stage } = before;
    const isVisit = stage.kind === 'step' || stage.kind === 'breaker';
    const step = isVisit ? this.#definition.steps[stage.visit.step] : undefined;
    const isWriter = step?.kind === 'role' && WRITERS.some((one) => one === step.role);
    const isBase = before.work === null && work?.content === 'base';
    assert.ok(isBase || isWriter, `a step that only reads moved the work: ${step?.id}`);
  }

  /** Nothing succeeds unless the last verdict of every required gate on the final work is green. */
  #checkOutcome({ kind }: RunOutcome): void {
    if (kind !== 'succeeded') return;
    const content = this.state.work?.content;
    for (const step of Object.values(this.#definition.steps)) {
      if (step.kind !== 'gate' || !step.required || content === undefined) continue;
      for (const { name } of step.gates) {
        const ofStep: readonly Judged[] = this.#judged.filter(
          (one) => one.step === step.id && one.gate === name,
        );
        const last: Judged | undefined = ofStep.findLast((one) => one.content === content);
        assert.equal(last?.isGreen, true, `${name} of ${step.id} is green on the final work`);
      }
    }
  }
}
