/** Tool calls and their results in the forms of the five CLIs. */
import { readsAsFailure } from '../../src/gateway/wires/reads-as-failure.ts';
import type { ScriptedStep } from './turn-script.ts';

const FORMS = {
  claude: { shell: 'Bash', key: 'command', read: 'Read', edit: 'Edit', plan: 'TodoWrite' },
  codex: { shell: 'exec_command', key: 'cmd', read: '', edit: 'apply_patch', plan: 'update_plan' },
  gemini: {
    ...{ shell: 'run_shell_command', key: 'command' },
    ...{ read: 'read_file', edit: 'replace', plan: 'write_todos' },
  },
  copilot: { shell: 'bash', key: 'command', read: 'view', edit: 'edit', plan: 'update_todo' },
  opencode: { shell: 'bash', key: 'command', read: 'read', edit: 'edit', plan: 'todowrite' },
} as const;
export type FormName = keyof typeof FORMS;
export const FORM_NAMES = Object.keys(FORMS) as [FormName, ...FormName[]];

/** Every call differs a little from the one before, as with a real model: remarks, numbers of processes, times. */
export class CliForms {
  readonly #name: FormName;
  #nth = 0;

  constructor(name: FormName) {
    this.#name = name;
  }

  shell(command: string, output: string, code = 0): ScriptedStep {
    const { shell, key } = FORMS[this.#name];
    this.#nth += 1;
    const said = this.#framed(output, code);
    const remark = this.#name === 'codex' ? {} : { description: `it ${this.#nth}` };
    // Only Claude Code has a field for a failure.
    const isError = this.#name === 'claude' ? code !== 0 : readsAsFailure(said);
    return { tool: shell, input: { [key]: command, ...remark }, output: said, isError };
  }

  read(path: string, text: string): ScriptedStep {
    const { read } = FORMS[this.#name];
    if (read === '') return this.shell(`sed -n '1,200p' ${path}`, text);
    return { tool: read, input: { file_path: path }, output: text, isError: false };
  }

  misses(path: string): ScriptedStep {
    const { read } = FORMS[this.#name];
    if (read === '') return this.shell(`cat ${path}`, `cat: ${path}: No such file or directory`, 1);
    return {
      ...{ tool: read, input: { file_path: path } },
      ...{ output: 'File does not exist.', isError: true },
    };
  }

  edit(path: string, change: string): ScriptedStep {
    const { edit } = FORMS[this.#name];
    const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+${change}\n*** End Patch`;
    const input = this.#name === 'codex' ? patch : { file_path: path, new_string: change };
    return { tool: edit, input, output: 'Success. Updated the file.', isError: false };
  }

  plan(done: number, total: number): ScriptedStep {
    const items = Array.from({ length: total }, (_, nth) => ({
      content: `item ${nth}`,
      status: nth < done ? 'completed' : 'pending',
    }));
    const input = this.#name === 'codex' ? { plan: items } : { todos: items };
    return { tool: FORMS[this.#name].plan, input, output: 'ok', isError: false };
  }

  #framed(output: string, code: number): string {
    const number = 100 + this.#nth;
    switch (this.#name) {
      case 'claude':
        if (code !== 0) return `Exit code ${code}\n${output}${reminder(number)}`;
        return `${output || '(Bash completed with no output)'}${reminder(number)}`;
      case 'codex':
        return `Chunk ID: ${(number * 7919).toString(16)}\nWall time: 0.${number} seconds\nProcess exited with code ${code}\nOriginal token count: ${output.length}\nOutput:\n${output}`;
      case 'gemini': {
        const failed = code === 0 ? '' : `Exit Code: ${code}\n`;
        return `<untrusted_context>\nOutput: ${output || '(empty)'}\n${failed}Process Group PGID: ${number}\n</untrusted_context>`;
      }
      case 'copilot':
        return `${output}\n<shellId: ${number} completed with exit code ${code}>`;
      case 'opencode':
        return output || '(no output)';
    }
  }
}

function reminder(number: number): string {
  return `\n\n<system-reminder>\n<total_tokens>${15_000_000 - number} tokens left</total_tokens>\n</system-reminder>`;
}
