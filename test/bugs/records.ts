/** Known bugs with input, stored data and resumed work. */
import type { Bug } from './named-tests.ts';

const LESSONS = 'src/attempts/lessons.test.ts';
const DECIDE = 'src/attempts/decide.test.ts';
const WORDS = 'src/attempts/attempts-messages.test.ts';
const ARTIFACTS = 'test/gates/artifact-isolation.test.ts';

export const RECORD_BUGS: readonly Bug[] = [
  // Input and stored data
  [
    'quotes in a prompt become something else',
    [
      'test/real/adapters.test.ts',
      '3: takes a long and strange prompt whole, works, and continues',
    ],
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
    ['src/settings/settings.test.ts', 'that were pinned before a key was there get its default'],
  ],
  [
    'what is kept can be read by others',
    [
      'src/host/files/atomic-files.test.ts',
      'a private folder is made with those above it, and closed if it was open',
    ],
  ],
  [
    'whoever knows the ids of a run can read its artifacts',
    [ARTIFACTS, 'are private to our user at every moment, whatever the umask is'],
    [ARTIFACTS, 'of another run are not collected under any name that an agent can make'],
    [ARTIFACTS, 'of another run are not visible to a sandboxed agent, even if it knows their ids'],
    ['src/server/refusals.test.ts', 'a run whose name climbs'],
  ],
  [
    'secrets of an environment stand in the log',
    [
      'test/real/budgets.test.ts',
      'a secret that an agent prints in every form is found nowhere in stored data',
    ],
  ],
  [
    'who comes next does not see what there is',
    [
      'test/real/chain.test.ts',
      'the second finds the work of the first, and its prompt describes it',
    ],
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
    [WORDS, 'who was there, what it said, which gate said what, and the task last'],
  ],
  // Resuming
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
    [
      'test/real/broken-session.test.ts',
      '${cli}: a conversation that is ${how} is replaced by a new one',
    ],
  ],
];
