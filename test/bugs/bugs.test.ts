/** What systems of this kind have got wrong before us: each bug, and the test that shows that we don't have it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertIsThere } from './named-tests.ts';
import type { Named } from './named-tests.ts';

const LESSONS = 'src/attempts/lessons.test.ts';
const DECIDE = 'src/attempts/decide.test.ts';
const CLASSIFY = 'src/attempts/classify.test.ts';
const LINES = 'src/attempts/rules/error-lines.test.ts';
const PERFORM = 'src/attempts/perform-attempt.test.ts';
const LOOP = 'src/attempts/attempts-program.test.ts';
const FINALIZE = 'test/gates/finalize.test.ts';
const ENGINE = 'src/testing/engine-conformance.ts';
const CLAIMS = 'src/lifecycle/commitments.test.ts';
const LIFE_DONE = 'src/lifecycle/life-done.test.ts';
const DESK = 'src/daemon/agents-desk.test.ts';
const BRANCH = 'src/daemon/agents-branch.test.ts';
const REAL_TREE = 'test/real/tree.test.ts';
const REAL_WORK = 'test/real/tree-work.test.ts';

const BUGS: readonly (readonly [bug: string, ...tests: Named[]])[] = [
  // Who runs, and what a limit is
  [
    'the first cooldown of all is lost',
    [LESSONS, 'the first cooldown of all is written down, before another agent begins'],
    [
      'test/crash/cooldowns.test.ts',
      'killed after any statement, whoever was said to rest rests, and what is said again is written once',
    ],
  ],
  [
    'the agent that was chosen is not the one that begins',
    [LESSONS, 'the chosen agent is the first attempt, whoever chose it'],
    [LESSONS, 'and the others follow it once each, from there on'],
  ],
  ['a fallback becomes the default', [LESSONS, 'a fallback does not rewrite who is the default']],
  [
    'a cooldown belongs to a CLI and not to an account',
    [LESSONS, 'a limit of one account leaves another account of the same CLI alone'],
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
  ['settings that nobody reads', [LESSONS, 'every setting of recovery is read']],
  [
    'a rule that can not be read never fires, and nobody is told',
    ['src/config/check.test.ts', 'a pattern that would have to go back'],
  ],
  // What became of it
  [
    'the state of the container is never looked at',
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
    [LESSONS, '"not done" is not done: what an agent says does not outrank a gate'],
  ],
  [
    'a gate is read from the tree that it judges',
    ['test/gates/gate.test.ts', 'a definition that the agent changed does not count'],
  ],
  [
    'a commitment that failed once is never looked at again',
    [
      CLAIMS,
      'one that failed is checked again when done is claimed again, and so is one that passed',
    ],
    [LIFE_DONE, 'a second DONE after a failed check finds every commitment to be checked again'],
    [REAL_WORK, 'done that is not done, a spent budget, and a wrong changeset'],
  ],
  [
    'a question that nobody answers counts as a yes',
    [LESSONS, 'a question that nobody answers is never taken for a yes'],
    [ENGINE, 'a question waits for its answer, and only for its own'],
  ],
  // Stopping
  [
    'a stop is only noted, and the container goes on',
    [PERFORM, 'a deaf agent and its tool are gone at once when it is killed'],
    ['test/e2e/interrupts.test.ts', 'twice kills a deaf agent and its tool'],
    ['test/real/contained-agents.test.ts', 'leaves what it has done when it is stopped'],
  ],
  [
    'a stop between attempts is none',
    [LESSONS, 'a stop is the end in every state, and nothing begins after it but the tidying'],
  ],
  [
    'what was printed before a deadline is thrown away',
    [PERFORM, 'what it said before its deadline is kept'],
  ],
  [
    'a tool outlives its agent',
    [PERFORM, 'a deaf agent and its tool are killed once the grace is over'],
    ['test/real/adapters.test.ts', '4: killed without being asked, it leaves no tool behind'],
  ],
  // Capacity
  [
    'a run between two attempts does not count',
    [
      'src/testing/engine-run-limits-conformance.ts',
      'keeps the place of a run between its commands',
    ],
    [LOOP, 'the place of a run counts against its project and its identity'],
  ],
  // The end
  [
    'a finalization that was interrupted stands still for ever',
    [LESSONS, 'finalization that was interrupted is done again, and does not stand still'],
    [FINALIZE, 'a run that was stopped after its owner died has its work and its artifacts'],
  ],
  [
    'two finalize at once, or one twice',
    [FINALIZE, 'keeps the tree of an attempt that died without a word of it, and does so once'],
    [
      'src/attempts/artifacts.test.ts',
      'to collect again changes nothing, and one that was cut off is done again',
    ],
  ],
  [
    'a finalization that fails takes the rest with it',
    [FINALIZE, 'says what it could not do, and has done the rest'],
  ],
  [
    'lines of the log come twice',
    [LESSONS, 'each line of the log is said once, however often an attempt is lost'],
  ],
  // What goes in, and what is kept
  [
    'quotes in a prompt become something else',
    ['test/real/adapters.test.ts', '3: takes a long and strange prompt whole, works, and goes on'],
  ],
  [
    'state of another version is dropped without a word',
    ['src/store/sqlite/database.test.ts', 'a newer one is refused with both versions'],
    [
      'src/store/sqlite/database.test.ts',
      'an older one is brought up to date with all that it holds',
    ],
  ],
  [
    'a field that was added is missing where settings are built by hand',
    ['src/protocol/settings.test.ts', 'that were pinned before a key was there get its default'],
  ],
  [
    'what is kept can be read by others',
    [
      'src/host/files.test.ts',
      'a private folder is made with those above it, and closed if it was open',
    ],
  ],
  [
    'secrets of an environment stand in the log',
    [
      'test/real/budgets.test.ts',
      'a secret that an agent prints in every form is found nowhere in what is kept',
    ],
  ],
  [
    'who comes next does not see what there is',
    ['test/real/chain.test.ts', 'the second finds the work of the first, and is told of it'],
  ],
  [
    'the number that an agent is told never moves',
    [
      LESSONS,
      'what an attempt is told of its number goes on, and of one before it only what is so',
    ],
  ],
  [
    'words of a machine pass for those of a person',
    [LOOP, 'who was there, what it said, which gate said what, and the task last'],
  ],
  // Going on
  [
    'nothing can be taken up again',
    [
      'test/crash/owner-killed.test.ts',
      'an owner that is killed again and again loses no fact and leaves no agent',
    ],
  ],
  [
    'a conversation that is gone loses the attempt',
    [DECIDE, "a conversation that can't be taken up is begun afresh, at no cost for the agent"],
    ['test/real/broken-session.test.ts', '${cli}: a conversation that is ${how} is begun afresh'],
  ],
  // Agents that live long
  [
    'done is a word somewhere in what an agent says: "ABANDONED" is done, and so is "NOT DONE"',
    [CLAIMS, 'who gave up is not done'],
    [CLAIMS, 'who says that it is not is not'],
    [LIFE_DONE, 'done is no substring: ${word}'],
    [REAL_WORK, 'done that is not done, a spent budget, and a wrong changeset'],
  ],
  [
    'a check that takes too long is told with a time that is not its own',
    [
      LIFE_DONE,
      'a verification that takes too long says so, with its own time and not a fixed one',
    ],
  ],
  [
    'a round of checks is judged as one, and nobody knows which of them failed',
    [LIFE_DONE, 'one that passed before and was broken since is found out'],
    [CLAIMS, 'a round that leaves one out is a defect'],
  ],
  [
    'a check that runs holds up everything else',
    ['test/e2e/agents.test.ts', 'bug of old: a check that takes long holds up everybody'],
  ],
  [
    'who is dismissed is gone without a body',
    [DESK, 'bug of old: dismiss removes the body'],
    [LIFE_DONE, 'a dismissed one leaves its body: what it was, what it did and why it is gone'],
  ],
  ['nobody knows whose child an agent is', [DESK, 'bug of old: no parent links']],
  [
    'nobody restarts an agent',
    [BRANCH, 'that crashes is restarted after its backoff, which doubles'],
    [
      REAL_TREE,
      'crashed, out of memory, robbed of a conversation, killed with their owner: they are as they were',
    ],
  ],
  [
    'a child may spend what its parent has not got',
    [DESK, 'a child has no more than its parent has left'],
    [
      'src/daemon/purse-book.test.ts',
      'of an agent that gives to a child shrinks by that, from its next call on',
    ],
  ],
  [
    'processes of a CLI outlive their agent',
    ['test/e2e/agents.test.ts', 'bug of old: orphaned CLI processes'],
    [
      REAL_TREE,
      'crashed, out of memory, robbed of a conversation, killed with their owner: they are as they were',
    ],
  ],
  [
    'a new project shows the agents of the one before',
    [DESK, 'bug of old: a new project shows the agents of the previous one'],
    [
      'test/e2e/agents.test.ts',
      'a project shows its own agents, and the silent ones only when all are wanted',
    ],
  ],
  [
    'children of a parent that is over belong to nobody',
    [DESK, 'when a parent is over, its children are let go too'],
    [BRANCH, 'whose parent is over is dismissed, the youngest first, and so are its children'],
    [LIFE_DONE, 'an orphan whose parent is gone keeps its notes to itself and goes on'],
  ],
  ['agents have agents without an end', [DESK, 'refused: what can not be']],
  [
    'nobody has said what a restart changes',
    ['src/monitors/triggers.test.ts', 'what becomes of the work can be said for each reason'],
    [REAL_WORK, 'done that is not done, a spent budget, and a wrong changeset'],
    [
      REAL_TREE,
      'a gang goes down together and is asked about, and one that spins begins again from nothing',
    ],
  ],
  [
    'done and an end from outside meet, and it is chance what it was',
    [LIFE_DONE, 'done and dismissed at once: ${why}'],
  ],
  [
    'what was given to a child is gone for good, or had twice',
    [
      'src/daemon/agent-gifts.test.ts',
      'of one that is over only what it has spent, and what its own children had spent',
    ],
  ],
  [
    'nobody can say afterwards who told an agent what',
    [
      BRANCH,
      'is followed by one with the same tree, counters included, and no life is begun again',
    ],
    ['src/lifecycle/life-program.test.ts', 'keeps its rules, whatever happens'],
  ],
];

test('each bug has one row', () => {
  const names = BUGS.map(([bug]) => bug);
  assert.deepEqual(names, [...new Set(names)]);
});

for (const [bug, ...tests] of BUGS)
  test(bug, () => {
    assert.ok(tests.length > 0);
    for (const named of tests) assertIsThere(named);
  });
