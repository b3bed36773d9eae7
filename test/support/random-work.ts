/**
 * Random healthy work. Each kind is what an agent does when all is well: it looks, tries, fails, edits, waits, and comes
 * to something new.
 */
import type { Random } from '../../src/base/random.ts';
import { randomInt, randomItem } from '../../src/base/random.ts';
import { CliForms, FORM_NAMES } from './cli-forms.ts';
import { FAILING_POLLS, POLLS, WAIT_TOOLS } from './random-waits.ts';
import type { ScriptedStep, ScriptedTurn } from './turn-script.ts';
import { turn } from './turn-script.ts';

type Turns = readonly ScriptedTurn[];

export class RandomWork {
  readonly #random: Random;
  readonly #cli: CliForms;
  readonly #versions = new Map<string, number>();
  #plan = { done: 0, total: 0 };
  #nth = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#cli = new CliForms(randomItem(random, FORM_NAMES));
  }

  /** So many kinds of work, one after another. */
  script(activities: number): Turns {
    const work = this.#times(activities, () => this.#withPlan(this.#activity()));
    return [...work.flat(), ...this.#close()];
  }

  #activity(): Turns {
    return randomItem<() => Turns>(this.#random, [
      () => this.#explore(),
      () => this.#search(),
      () => this.#build(),
      () => this.#buildInBackground(),
      () => this.#fixTests(),
      () => this.#fixErrors(),
      () => this.#refactor(),
      () => this.#poll(),
      () => this.#pollThatFails(),
      () => this.#delegate(),
      () => this.#compact(),
      () => this.#install(),
      () => this.#checkAll(),
      () => this.#commit(),
      () => this.#measure(),
    ])();
  }

  /** Half of the agents keep a plan, and begin another when it has ended. */
  #withPlan(work: Turns): Turns {
    const { done, total } = this.#plan;
    if (done === total) {
      if (this.#chance(0.5)) return work;
      this.#plan = { done: 0, total: this.#count(2, 9) };
      return [turn(this.#cli.plan(0, this.#plan.total)), ...work];
    }
    if (this.#chance(0.3)) return work;
    this.#plan = { done: done + 1, total };
    return [...work, turn(this.#cli.plan(done + 1, total))];
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #count(low: number, high: number): number {
    return randomInt(this.#random, low, high);
  }

  #next(): number {
    return (this.#nth += 1);
  }

  #times<Made>(count: number, make: (nth: number) => Made): Made[] {
    return Array.from({ length: count }, (_, nth) => make(nth));
  }

  #shell(command: string, output: string, code = 0): ScriptedStep {
    return this.#cli.shell(command, output, code);
  }

  #path(): string {
    return `src/${randomItem(this.#random, ['api', 'core', 'web', 'lib'])}/f${this.#count(1, 60)}.ts`;
  }

  /** A file that was changed since has another text. */
  #look(path = this.#path()): ScriptedStep {
    return this.#cli.read(path, `text of ${path}, version ${this.#versions.get(path) ?? 0}`);
  }

  #edit(path = this.#path()): ScriptedStep {
    const version = this.#next();
    this.#versions.set(path, version);
    return this.#cli.edit(path, `change ${version}`);
  }

  /** Most changes are made by the tool for it, and some by a command. */
  #change(): ScriptedTurn {
    if (this.#chance(0.1))
      return turn(this.#shell(`sed -i 's/a/b${this.#next()}/' ${this.#path()}`, ''));
    if (this.#chance(0.1)) return turn(this.#shell(`python fix_${this.#next()}.py`, 'fixed'));
    return turn(this.#edit());
  }

  /** It guesses where something is, at most twice, and then lists what is there. */
  #explore(): Turns {
    const looks = this.#times(this.#count(2, 25), () =>
      turn(...this.#times(this.#chance(0.3) ? this.#count(2, 8) : 1, () => this.#look())),
    );
    if (this.#chance(0.6)) return looks;
    const guess = (): ScriptedStep => this.#cli.misses(`conf/${this.#next()}.json`);
    const guesses = this.#times(this.#count(1, 2), () =>
      turn(...this.#times(this.#count(1, 4), guess)),
    );
    return [...guesses, turn(this.#shell('ls', 'src lib')), ...looks];
  }

  /** Searches end with the code 1 if nothing is found. */
  #search(): Turns {
    const searches = this.#times(this.#count(2, 12), () => {
      const word = `name${this.#next()}`;
      if (this.#chance(0.4)) return turn(this.#shell(`rg ${word}`, `src/a.ts: ${word}`));
      const lines = [`rg ${word}`, `grep -rn ${word} src`, `git grep ${word}`] as const;
      const line = randomItem(this.#random, [...lines, `cd src && rg ${word} | head -5`]);
      return turn(this.#shell(line, '', 1));
    });
    return [...searches, turn(this.#look())];
  }

  #build(): Turns {
    const seconds = this.#count(10, 300);
    return [
      turn(this.#shell('make all', `built in ${seconds} s`)),
      this.#change(),
      turn(this.#shell('make all', 'built')),
    ];
  }

  #buildInBackground(): Turns {
    const tool = randomItem(this.#random, WAIT_TOOLS);
    const total = this.#count(40, 400);
    const looks = this.#times(this.#count(3, 30), (nth): ScriptedTurn => {
      const line = this.#chance(0.5) ? 'compiling' : `[${nth}/${total}] cc file${nth}.c`;
      return turn({ tool, input: { bash_id: 'b1' }, output: line, isError: false });
    });
    return [turn(this.#shell('make all > build.log 2>&1 &', '')), ...looks];
  }

  #failingTests(count: number, command: string): ScriptedTurn {
    const time = `${this.#count(1, 900)}ms`;
    const passing = 60 - count;
    const output = randomItem(this.#random, [
      `  ${passing} passing (${time})\n  ${count} failing\n`,
      `Tests:       ${count} failed, ${passing} passed, 60 total\nTime: ${time}`,
      `=== ${count} failed, ${passing} passed in 0.${this.#count(10, 99)}s ===`,
      `error: expected 3 not found in [1, 2]\n# fail ${count}`,
    ]);
    return turn(this.#shell(command, output, 1));
  }

  /** As many tests may fail for some rounds, although the work continues. */
  #fixTests(): Turns {
    const command = randomItem(this.#random, ['npm test', 'pytest -q', 'cargo test', 'npx jest']);
    const rounds: Turns[] = [];
    for (let failing = this.#count(1, 8); failing > 0 && rounds.length < 25;) {
      const again = this.#chance(0.2) ? [this.#failingTests(failing, `${command} -v`)] : [];
      const looks = this.#times(this.#count(0, 4), () => turn(this.#look()));
      const wrong = this.#chance(0.15) ? this.#wrongEdit() : [];
      rounds.push([this.#failingTests(failing, command), ...again, ...looks, ...wrong]);
      rounds.push([this.#change()]);
      if (this.#chance(0.6)) failing -= this.#count(1, failing);
    }
    return [...rounds.flat(), turn(this.#shell(command, `60 passing (${this.#count(1, 900)}ms)`))];
  }

  #wrongEdit(): Turns {
    const failed = { output: 'String to replace not found in file.', isError: true };
    return [turn({ ...this.#cli.edit('src/a.ts', 'x'), ...failed }), turn(this.#look('src/a.ts'))];
  }

  #fixErrors(): Turns {
    const command = randomItem(this.#random, ['npx tsc --noEmit', 'cargo build', 'npm run lint']);
    const rounds = this.#times(this.#count(2, 12), (nth): Turns => {
      const said = randomItem(this.#random, [
        `src/f${nth}.ts(3,4): error TS2304: Cannot find name 'x${nth}'.`,
        `error[E0425]: cannot find value \`x${nth}\` in this scope: not found in this scope`,
        `src/f.ts: Parsing error: Unexpected token`,
      ]);
      const look = this.#chance(0.4) ? [turn(this.#look())] : [];
      return [turn(this.#shell(command, said, this.#count(1, 2))), ...look, this.#change()];
    });
    return [...rounds.flat(), turn(this.#shell(command, ''))];
  }

  #refactor(): Turns {
    const style = this.#count(1, 4);
    const parts = this.#times(this.#count(5, 50), (nth) => {
      const path = `src/part${nth}.ts`;
      const to = `lib/part${this.#next()}.ts`;
      if (style === 1) return turn(this.#shell(`git mv ${path} ${to}`, ''));
      if (style === 2) return turn(this.#look(path), this.#edit(path));
      if (style === 3) return turn(this.#edit('src/big.ts'));
      return turn(this.#shell(`rg -n old${nth} ${path}`, `3: old ${to}`), this.#edit(path));
    });
    return [...parts, turn(this.#shell('git diff --stat', `${parts.length} files changed`))];
  }

  #poll(): Turns {
    const [command, waiting, done] = randomItem(this.#random, POLLS);
    const looks = this.#times(this.#count(3, 30), () => turn(this.#shell(command, waiting)));
    return [...looks, turn(this.#shell(command, done))];
  }

  #pollThatFails(): Turns {
    const [command, waiting] = randomItem(this.#random, FAILING_POLLS);
    const code = this.#count(1, 8);
    const looks = this.#times(this.#count(2, 12), () => turn(this.#shell(command, waiting, code)));
    return [...looks, turn(this.#shell(command, 'ok'))];
  }

  /** Parts that subagents do side by side. */
  #delegate(): Turns {
    const task = (): ScriptedStep => ({
      ...{ tool: 'Task', isError: false, output: `Part ${this.#nth} is done.` },
      input: { prompt: `part ${this.#next()}`, subagent_type: 'general-purpose' },
    });
    return this.#times(this.#count(1, 6), () => turn(...this.#times(this.#count(1, 4), task)));
  }

  /** The context grows and is compacted, and what it had read is read again. */
  #compact(): Turns {
    const top = 0.4 + this.#random() * 0.39;
    const grows = this.#times(10, (nth): ScriptedTurn => ({
      context: 0.2 + ((top - 0.2) * nth) / 10,
      ...turn(this.#look()),
    }));
    const again = this.#times(8, (): ScriptedTurn => ({ context: 0.1, ...turn(this.#look()) }));
    return [...grows, ...again, this.#change()];
  }

  #install(): Turns {
    const refused = 'npm error code ECONNRESET\nnpm error network';
    const python: Turns = [
      turn(this.#shell('python tool.py', 'python: command not found', 127)),
      turn(this.#shell('python3 tool.py', "ModuleNotFoundError: No module named 'yaml'", 1)),
      turn(this.#shell('pip install pyyaml', 'Successfully installed')),
      turn(this.#shell('python3 tool.py', `ok ${this.#next()}`)),
    ];
    return [
      ...this.#times(this.#count(0, 2), () => turn(this.#shell('npm install', refused, 1))),
      turn(this.#shell('npm install', `added ${this.#count(5, 900)} packages`)),
      ...(this.#chance(0.3) ? python : []),
    ];
  }

  /** All checks in one turn, a look, and some of them again. */
  #checkAll(): Turns {
    const checks = ['npm run lint', 'npx tsc', 'npm run knip', 'npm run e2e', 'npm run types'];
    const run = (command: string): ScriptedStep => this.#shell(command, `${command}: 2 errors`, 1);
    const some = checks.slice(0, this.#count(2, 5));
    return [
      turn(...some.map(run)),
      turn(this.#look()),
      ...(this.#chance(0.5) ? [turn(run(some.at(-1) ?? ''))] : []),
      this.#change(),
      turn(...some.map((command) => this.#shell(command, 'ok'))),
    ];
  }

  #commit(): Turns {
    return this.#times(this.#count(1, 12), () => {
      const made = `git commit -m "part ${this.#next()}"`;
      return turn(this.#edit(), this.#shell('git add -A', ''), this.#shell(made, '[main] part'));
    });
  }

  /** The same command, with another result each time. */
  #measure(): Turns {
    return this.#times(this.#count(2, 10), () =>
      turn(this.#shell('npm run bench', `throughput ${1000 + this.#next()} op/s`)),
    );
  }

  #close(): Turns {
    const { done, total } = this.#plan;
    const end = total > done ? [turn(this.#cli.plan(total, total))] : [];
    const looks = ['git status', 'git diff', 'npm test', 'npm run lint', 'git log -1'];
    const last = looks.slice(0, this.#count(0, 5));
    return [...end, ...last.map((line) => turn(this.#shell(line, `fine: ${line}`)))];
  }
}
