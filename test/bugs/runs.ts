/** Known bugs with runs: which agent begins, the outcome, stops, and the end. */
import type { Bug } from './named-tests.ts';

const LESSONS = 'src/attempts/lessons.test.ts';
const DECIDE = 'src/attempts/decide.test.ts';
const CLASSIFY = 'src/failures/classify-attempt.test.ts';
const LINES = 'src/failures/rules/error-lines.test.ts';
const PERFORM = 'src/execution/perform-attempt.test.ts';
const STOPPED = 'src/execution/perform-attempt-stopped.test.ts';
const LOOP = 'src/attempts/attempts-program.test.ts';
const FINALIZE = 'test/gates/finalize.test.ts';
const ENGINE = 'src/testing/conformance/engine-conformance.ts';
const CLAIMS = 'src/agents/commitments.test.ts';
const LIFE_DONE = 'src/agents/done-verified.test.ts';
const REAL_WORK = 'test/real/tree-work.test.ts';
const TIMERS = 'src/attempts/timers.test.ts';

export const RUN_BUGS: readonly Bug[] = [
  // Agents and limits
  [
    'the very first cooldown is lost',
    [LESSONS, 'the very first cooldown is stored before another agent begins'],
    [
      'test/crash/cooldowns.test.ts',
      'killed after any statement, a recorded cooldown holds, and a repeated one is written once',
    ],
  ],
  [
    'the agent that was chosen is not the one that begins',
    [LESSONS, 'the chosen agent makes the first attempt, in every order'],
    [LESSONS, 'the other agents follow the chosen one in their order, once each'],
  ],
  ['a fallback becomes the default', [LESSONS, 'a fallback does not change the default agent']],
  [
    'a cooldown belongs to a CLI and not to an account',
    [LESSONS, 'a limit of one account does not affect another account of the same CLI'],
  ],
  [
    '"wrote 429 lines" is a limit',
    [LINES, 'wrote 429 lines'],
    [PERFORM, 'is completed when honest work speaks of rate limits'],
  ],
  ['"disk quota check" is a limit', [LINES, 'disk quota check']],
  ['"forbidden words" is a bad login', [LINES, 'forbidden words']],
  ['"tlslib" is the network', [LINES, 'tlslib: built']],
  [
    'a refused key is tried again like anything else',
    [DECIDE, 'a refused key concerns the identity: the next one'],
  ],
  ['settings without effect', [LESSONS, 'every setting of recovery has an effect']],
  [
    'an invalid rule never fires, and no error is reported',
    ['src/config/check-config.test.ts', 'a pattern that needs backtracking'],
  ],
  // Outcomes
  [
    'the state of the container is never checked',
    [CLASSIFY, 'the container before the provider'],
    [CLASSIFY, 'as docker inspect prints it'],
    [
      'test/sandbox/shared-abuse.ts',
      'a grandchild that is killed for memory is told, although all ended well',
    ],
  ],
  ['a failed call on the side ends the work', [CLASSIFY, 'a call on the side is none']],
  [
    '"done" is done',
    [LESSONS, '"not done" is not done: the claim of an agent does not outrank a gate'],
  ],
  [
    'a gate is read from the tree that it judges',
    ['test/gates/gate.slow.test.ts', 'a definition that the agent changed does not count'],
  ],
  [
    'a commitment that failed once is never checked again',
    [CLAIMS, 'failed and passed commitments are all checked again at the next claim'],
    [LIFE_DONE, 'a second DONE after a failed check finds every commitment to be checked again'],
    [REAL_WORK, 'done that is not done, a spent budget, and a wrong changeset'],
  ],
  [
    'an unanswered question counts as a yes',
    [LESSONS, 'a question without an answer never counts as a yes'],
    [ENGINE, 'a question waits for its answer, and only for its own'],
  ],
  // Stopping
  [
    'a stop is only recorded, and the container keeps running',
    [STOPPED, 'an agent that ignores requests is gone with its tool at once after a kill'],
    ['test/e2e/interrupts.slow.test.ts', 'twice kills a deaf agent and its tool'],
    ['test/real/contained-agents.test.ts', 'leaves its work when it is stopped'],
  ],
  [
    'a stop between attempts has no effect',
    [LESSONS, 'a stop ends the run in every state, and only finalizing begins after it'],
  ],
  ['output before a deadline is lost', [STOPPED, 'output before the deadline is recorded']],
  [
    'a tool outlives its agent',
    [STOPPED, 'an agent that ignores the request is killed with its tool after the grace'],
    ['test/real/adapters.test.ts', '4: killed at once, it leaves no tool behind'],
  ],
  [
    'timers of a run start twice, or run after its end',
    [TIMERS, '${where} leaves no timer when it is ended by a ${how}, and nothing happens later'],
    [TIMERS, '${where} leaves no timer when its owner ends, nor when the next owner ends the run'],
    [TIMERS, 'has one timer at a time, and none once its attempts are used up'],
    [TIMERS, 'begins nothing after a ${how}: ${reason}'],
  ],
  // Capacity
  [
    'a run between two attempts does not count',
    [
      'src/testing/conformance/engine-run-limits-conformance.ts',
      'keeps the slot of a run between its commands',
    ],
    [LOOP, 'the slot of a run counts against its project and its identity'],
  ],
  // The end
  [
    'an interrupted finalize never continues',
    [LESSONS, 'interrupted finalizing runs again until it is done'],
    [FINALIZE, 'a run that was stopped after its owner died has its work and its artifacts'],
  ],
  [
    'two finalize at once, or one does it twice',
    [FINALIZE, 'commits the tree of an attempt that died without recording it, and does so once'],
    [
      'src/execution/collect-artifacts.test.ts',
      'a second collection changes nothing, and an interrupted one is repeated',
    ],
  ],
  [
    'a failed finalize prevents the rest',
    [FINALIZE, 'reports what it could not do, and does the rest'],
  ],
  [
    'lines of the log come twice',
    [LESSONS, 'each line is logged once, even if an attempt is interrupted several times'],
  ],
  [
    'the memory of a run is never freed',
    ['test/bugs/nothing-left.slow.test.ts', 'nothing in memory is filed under an ended run'],
    ['test/real/nothing-left.test.ts', 'nothing in memory is filed under an ended contained run'],
  ],
];
