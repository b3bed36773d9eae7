/** Known bugs with long-lived agents. */
import type { Bug } from './named-tests.ts';

const CLAIMS = 'src/agents/commitments.test.ts';
const LIFE_DONE = 'src/agents/done-verified.test.ts';
const DESK = 'src/owner/agents/agents-api.test.ts';
const BRANCH = 'src/owner/agents/agents-supervisor.test.ts';
const REAL_TREE = 'test/real/tree.test.ts';
const REAL_WORK = 'test/real/tree-work.test.ts';

export const AGENT_BUGS: readonly Bug[] = [
  [
    'any "done" in the output counts: "ABANDONED" is done, and so is "NOT DONE"',
    [CLAIMS, 'a word that contains DONE is no claim'],
    [CLAIMS, 'a negated word is no claim'],
    [LIFE_DONE, 'done is no substring: ${word}'],
    [REAL_WORK, 'done that is not done, a spent budget, and a wrong changeset'],
  ],
  [
    'a check that times out is reported with a wrong time',
    [LIFE_DONE, 'a check that takes too long reports its own time limit'],
  ],
  [
    'a round of checks is judged as one, and the failed one is unknown',
    [LIFE_DONE, 'a commitment that was broken after it passed is detected'],
    [CLAIMS, 'a round that omits a commitment is a defect'],
  ],
  [
    'a running check blocks everything else',
    ['test/e2e/agents.slow.test.ts', 'old bug: a long check blocks every agent'],
  ],
  [
    'a dismissed agent leaves no record',
    [DESK, 'bug of old: dismiss removes the body'],
    [LIFE_DONE, 'a dismissed agent stays visible, with its history and the reason'],
  ],
  ['the parent of an agent is unknown', [DESK, 'bug of old: no parent links']],
  [
    'an agent is not restarted',
    [BRANCH, 'that crashes is restarted after its backoff, which doubles'],
    [
      REAL_TREE,
      'crashed, out of memory, without their conversation, killed with their owner: all agents recover',
    ],
  ],
  [
    'a child may spend more than its parent has',
    [DESK, 'gives a child no more than its parent has left'],
    [
      'src/owner/budgets/budget-pools.test.ts',
      'shrink for an agent that delegates to a child, from its next call on',
    ],
  ],
  [
    'processes of a CLI outlive their agent',
    ['test/e2e/agents.slow.test.ts', 'old bug: orphaned CLI processes'],
    [
      REAL_TREE,
      'crashed, out of memory, without their conversation, killed with their owner: all agents recover',
    ],
  ],
  [
    'a new project shows the agents of the one before',
    [DESK, 'bug of old: a new project shows the agents of the previous one'],
    [
      'test/e2e/agents.slow.test.ts',
      'a project shows its own agents, and idle ones only with --all',
    ],
  ],
  [
    'children of an ended parent have no parent',
    [DESK, 'dismisses all descendants of an agent that ended'],
    [
      BRANCH,
      'whose parent has ended is dismissed, the youngest first, and so are its own children',
    ],
    [LIFE_DONE, 'an agent whose parent has ended continues, and its notes are dropped'],
  ],
  ['the depth of agents has no bound', [DESK, 'refuses impossible requests, each with its reason']],
  [
    'the effect of a restart is undefined',
    ['src/monitors/triggers.test.ts', 'the policy decides for each reason whether work is kept'],
    [REAL_WORK, 'done that is not done, a spent budget, and a wrong changeset'],
    [
      REAL_TREE,
      'a gang stops together and a person is asked, and an agent that spins restarts from a clean tree',
    ],
  ],
  [
    '"done" and an external end at once have a random outcome',
    [LIFE_DONE, 'done and dismissed at once: ${why}'],
  ],
  [
    "a child's budget is lost, or counted twice",
    [
      'src/owner/agents/delegated-budgets.test.ts',
      'an ended child takes only what it and its own children spent',
    ],
  ],
  [
    'the sender of a message to an agent is not recorded',
    [BRANCH, 'is followed by one with the same tree and counters, and no life starts again'],
    ['src/agents/agent-program.test.ts', 'keeps its rules, whatever happens'],
  ],
];
