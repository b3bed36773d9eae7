/** Work that goes wrong in one way for long enough to be seen, with the noise that real calls have. */
import type { Random } from '../../src/base/random.ts';
import { randomInt, randomItem } from '../../src/base/random.ts';
import type { DetectorName } from '../../src/protocol/contracts/steering-contract.ts';
import type { ScriptedStep, ScriptedTurn } from './turn-script.ts';
import { bash, broken, edit, failed, plan, read, turn, turns } from './turn-script.ts';

type Sickness = {
  readonly why: string;
  readonly detector: DetectorName;
  readonly script: readonly ScriptedTurn[];
};

const ERRORS: readonly [string, ...string[]] = [
  'Exit code 1',
  'Permission denied',
  'No such file or directory',
  'Connection refused',
  'SyntaxError: x',
  'Cannot find module x',
];
const COMMANDS: readonly [string, ...string[]] = [
  'make all',
  'npm run build',
  './deploy.sh prod',
  'python run.py --fast',
  'psql -c "select 1"',
  'git push',
];
const INTENT: ScriptedStep = {
  ...{ tool: 'report_intent', input: { intent: 'trying' } },
  ...{ output: 'Intent logged', isError: false },
};

/** Each way to go wrong, once. */
export function sickWork(random: Random): readonly Sickness[] {
  const many = (): number => randomInt(random, 8, 15);
  const id = (): string => `a${Math.floor(random() * 2 ** 40).toString(16)}`;
  const error = randomItem(random, ERRORS);
  const command = randomItem(random, COMMANDS);
  const files = randomInt(random, 2, 5);
  const noisy = (): ScriptedStep => ({
    ...{ tool: 'Bash', isError: true },
    output: `${error} at 09:10:${randomInt(random, 10, 59)} in ${randomInt(random, 1, 99)}ms`,
    input: { command: `${command} --out /tmp/${id()} --id ${id()}`, description: id() },
  });
  const said = (text: string, ...steps: readonly ScriptedStep[]): ScriptedTurn => ({ steps, text });
  const again = (nth: number): ScriptedStep => (nth % 2 === 0 ? bash('git diff', 'x') : read('z'));
  return [
    {
      ...{ why: 'the same call fails', detector: 'loop' },
      script: turns(many(), () => turn(failed(command, error))),
    },
    {
      ...{ why: 'it fails with other paths, times and ids', detector: 'loop' },
      script: turns(many(), () => turn(noisy())),
    },
    {
      ...{ why: 'it fails, and the agent says what it intends in between', detector: 'loop' },
      script: turns(many(), (nth) =>
        turn(nth % 2 === 0 ? INTENT : plan(1, 4), failed(command, error)),
      ),
    },
    {
      ...{ why: 'it fails twice in each turn', detector: 'loop' },
      script: turns(many(), () => turn(failed(command, error), failed(command, error))),
    },
    {
      ...{ why: 'two calls fail in turn', detector: 'oscillation' },
      script: turns(many(), (nth) => turn(failed(`npm run a${nth % 2}`, error))),
    },
    {
      ...{ why: 'two calls fail in each turn', detector: 'oscillation' },
      script: turns(many(), () => turn(failed('npm run a', error), broken('Read', 'b', error))),
    },
    {
      ...{ why: 'many tools fail', detector: 'cascade' },
      script: turns(many(), (nth) =>
        turn(broken(['Bash', 'Read', 'Edit', 'Glob'][nth % 4] ?? '', `${nth}`, error)),
      ),
    },
    {
      ...{ why: 'tries that fail, and the same file in between', detector: 'stall' },
      script: turns(10 + many(), (nth) =>
        turn(nth % 3 === 0 ? failed(`try ${nth}`, error) : read('a.ts')),
      ),
    },
    {
      ...{ why: 'the same few files again and again', detector: 'stall' },
      script: turns(12 + many(), (nth) =>
        turn(read(`${nth % files}.ts`), bash(`git log -${nth % files}`, 'x')),
      ),
    },
    {
      ...{ why: 'the same call with the same output', detector: 'stagnation' },
      script: turns(2 + many(), () => turn(bash(command, 'the same'))),
    },
    {
      ...{ why: 'two calls with the same outputs', detector: 'stagnation' },
      script: turns(2 + many(), (nth) => turn(bash(nth % 2 === 0 ? 'ls' : 'pwd', 'same'))),
    },
    {
      ...{ why: 'no answer after the end of the plan', detector: 'completion-stall' },
      script: [turn(edit('a.ts', id()), plan(3, 3)), ...turns(many(), (nth) => turn(again(nth)))],
    },
    {
      ...{ why: 'it says that it is done, and continues', detector: 'completion-stall' },
      script: turns(many(), (nth) => said(`All done (${nth}).`, again(nth))),
    },
    {
      ...{ why: 'a failure that comes back', detector: 'false-recovery' },
      script: [
        ...turns(3, () => turn(failed(command, error))),
        ...turns(3, (nth) => turn(bash(`ls ${nth}`), failed(command, error))),
      ],
    },
    {
      ...{ why: 'no call and no new text', detector: 'no-op' },
      script: turns(many(), (nth) => ({
        ...{ steps: [], asksNothing: true },
        text: nth % 2 === 0 ? '' : 'Let me think.',
      })),
    },
    {
      ...{ why: 'a full context', detector: 'context' },
      script: turns(many(), (nth) => ({ context: 0.98, ...turn(edit(`${nth}.ts`, id())) })),
    },
    {
      ...{ why: 'one tool that never works', detector: 'tool-advice' },
      script: turns(many(), (nth) =>
        turn(broken('Edit', `${nth}`, 'String to replace not found.')),
      ),
    },
  ];
}
