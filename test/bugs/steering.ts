/** Known bugs with steering: plans that never take over, false warnings, texts that stack, and loops that stay. */
import type { Bug } from './named-tests.ts';

const TRIGGER = 'src/settings/pace-trigger.test.ts';
const ORGANIZATION = 'src/config/load-organization.test.ts';
const LEVELS = 'src/steering/detectors/pace-levels.test.ts';
const ROLE = 'src/steering/choose-role.test.ts';
const CHECK = 'src/steering/check.test.ts';
const HEALTHY = 'src/steering/healthy-runs.test.ts';
const ADVICE = 'src/steering/detectors/tool-advice.test.ts';
const INJECTOR = 'src/messages/choose-message.test.ts';
const WORDS = 'src/messages/admit-words.test.ts';
const TEXT = 'src/messages/message-text.test.ts';
const NUMBERS = 'src/steering/promotion.test.ts';
const ACCEPTANCE = 'test/e2e/steering-acceptance.slow.test.ts';
const EMERGENCY = 'test/e2e/steered-emergency.slow.test.ts';
const REAL = 'test/real/steered-emergency.test.ts';

export const STEERING_BUGS: readonly Bug[] = [
  // Plans of a role
  [
    'no plan ever takes over, because its trigger is not in the one form that is read',
    [TRIGGER, 'in the short form that roles use'],
    [TRIGGER, 'in its long form'],
    [TRIGGER, 'about the context'],
    [ORGANIZATION, 'is loaded with its roles, in the form of the kernel'],
    [ACCEPTANCE, 'R362, T6 PACE message contains role text'],
  ],
  [
    'of a trigger with two parts only the first one is read',
    [TRIGGER, 'with two parts'],
    [TRIGGER, 'with one bad part'],
    [LEVELS, 'a context of more than 85 %'],
  ],
  [
    'a trigger that can never hold is accepted without a word',
    [TRIGGER, 'with an unknown fact'],
    [TRIGGER, 'if it can never hold'],
    [ORGANIZATION, 'a trigger that could never fire'],
    [ORGANIZATION, 'a trigger that means nothing'],
  ],
  [
    'an emergency is reached only by the number of turns',
    [TRIGGER, 'by the number of turns'],
    [LEVELS, 'rises to emergency when the disk is full'],
    [EMERGENCY, 'is over for an agent that obeys: it is told once, and the run ends'],
  ],
  [
    'a level that was raised is the first one again in the next turn',
    [LEVELS, 'does not fall at the first success'],
    [LEVELS, 'falls after three calm turns'],
  ],
  [
    'an agent keeps the level of a role that it has no more',
    [LEVELS, 'of another role begins at primary, and without a role there is none'],
  ],
  [
    'a role is never chosen, because its files and the classifier name a domain differently',
    [ORGANIZATION, 'is loaded with its roles, in the form of the kernel'],
    [ORGANIZATION, 'a domain that no work can have'],
    [ROLE, 'an edit is coding: the specialist is chosen'],
  ],
  // False warnings
  [
    'an install that goes well gets seventeen warnings',
    [HEALTHY, 'a download that is retried with success'],
    [HEALTHY, 'a missing program, replaced by another'],
    [ADVICE, 'a success in between'],
    [ADVICE, 'twice'],
  ],
  [
    'an agent that tries one fix after another is told that it repeats itself',
    [HEALTHY, 'a compiler with many errors, fixed one by one'],
    ['src/steering/detectors/diversity-gate.test.ts', 'three kinds'],
    ['src/steering/detectors/loop.test.ts', 'three kinds of errors are iterating'],
  ],
  [
    'an agent that polls a slow job is told that it repeats itself',
    [HEALTHY, 'a slow job that is polled without a sleep'],
    ['src/steering/detectors/stagnation.test.ts', 'a slow job that is polled'],
  ],
  [
    'four warners speak about one event',
    [CHECK, 'speaks once, by severity'],
    [CHECK, 'never gives advice about a tool beside another anomaly'],
    [INJECTOR, 'never has two on their way'],
    [WORDS, 'do not queue up behind each other'],
  ],
  [
    'a subagent gets the warnings that are meant for its parent',
    [WORDS, 'do not reach a subagent'],
  ],
  // Loops that stay
  [
    'a loop is detected and goes on',
    [REAL, 'recovers if its model obeys: it is told once'],
    [
      REAL,
      '${cli} is paused after four messages if its model does not obey, and continues when a person says so',
    ],
    [EMERGENCY, 'pauses an agent that does not obey after four messages, and a person hears of it'],
  ],
  [
    'warnings make an agent talk about warnings, and nothing ever takes them back',
    [CHECK, 'records in shadow, and sends nothing'],
    [CHECK, 'waits for the cooldown of each detector'],
    [NUMBERS, 'only watches if a message harms'],
    [NUMBERS, 'falls back when its numbers fall'],
  ],
  [
    'an agent is forced to answer without an end',
    [CHECK, 'pauses the agent after four messages about one emergency'],
    [CHECK, 'counts from the start when an emergency is over'],
  ],
  [
    'an agent that repeats a call with success is taken for a healthy one',
    ['src/steering/detectors/stagnation.test.ts', 'six times'],
    ['src/steering/detectors/stagnation.test.ts', 'two calls in turn'],
  ],
  [
    'an agent says that it is done and never ends',
    ['src/steering/detectors/completion-stall.test.ts', 'three turns with nothing new'],
  ],
  [
    'one success hides that the same failure comes back',
    ['src/steering/detectors/false-recovery.test.ts', 'right after a success'],
  ],
  [
    'all kinds of work and all models have the same thresholds',
    [CHECK, 'of a model'],
    [CHECK, 'of a role'],
    ['src/steering/detectors/stall.test.ts', 'a setting has a floor'],
  ],
  [
    'a message waits for a tool call that succeeds, while every call fails',
    [REAL, 'recovers if its model obeys: it is told once'],
    ['src/adapters/message-way.test.ts', 'names the event of its hook in the answer'],
  ],
  // What a message says
  [
    'fourteen of fourteen messages name the first step of the plan',
    [ACCEPTANCE, 'R363, T7 no repeat within 3 turns, again afterwards'],
    [CHECK, 'names the step of its own turn'],
  ],
  [
    'a message asks the model to set a variable that it cannot set',
    [CHECK, 'has three sentences at most, one line, and no inner workings'],
  ],
  [
    'five sources stack their texts in one turn of the user',
    [INJECTOR, 'never has two on their way'],
    [INJECTOR, 'waits until the message of the prompt is seen'],
    [WORDS, 'yield to a person who has not been heard yet'],
    [WORDS, 'yield to a warning that is on its way'],
  ],
  [
    'agents ignore all messages, because none says where it comes from and how old it is',
    [TEXT, 'a message begins with the word of its run, and says what wrote it and how old it is'],
    [TEXT, 'two runs have different words, which the first prompt names'],
  ],
];
