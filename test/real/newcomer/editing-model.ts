/** A model that runs a command, changes a file, and says what it did: with the tools of each CLI. */
import type { ScriptFunction, View } from '../../../src/testing/model-server/model-script.ts';
import type { ToolCall } from '../../../src/testing/model-server/model-wire.ts';

export type NewcomerCli = 'claude' | 'codex';

export type EditingModel = {
  /** A command that shows the problem. */
  readonly look: string;
  readonly wordsBefore: string;
  readonly file: string;
  readonly old: string;
  readonly changed: string;
  readonly wordsBetween: string;
  readonly wordsAfter: string;
};

/** Fixed numbers, so that the cost of the run is the same each time. */
const USAGE = { inputTokens: 12_000, outputTokens: 200 };

export function editingModel(cli: NewcomerCli, model: EditingModel): ScriptFunction {
  return (view) => {
    if (view.kind === 'side') return { text: 'Done.', usage: { inputTokens: 0, outputTokens: 0 } };
    const steps = cli === 'claude' ? claudeCalls(model, view) : codexCalls(model);
    const call = steps[view.toolResults];
    const text = [model.wordsBefore, model.wordsBetween][view.toolResults];
    return call === undefined
      ? { text: model.wordsAfter, usage: USAGE }
      : { ...(text === undefined ? {} : { text }), calls: [call], usage: USAGE };
  };
}

/** Its Edit wants the whole path of a file that it has read. */
function claudeCalls({ look, file, old, changed }: EditingModel, view: View): readonly ToolCall[] {
  const all = `${view.system}\n${JSON.stringify(view.units)}`;
  const cwd = /\/(?!\/)[^\s"\\]+\/trees\/\w+\/\d+\/work/.exec(all)?.[0] ?? '/unknown';
  const file_path = `${cwd}/${file}`;
  return [
    { name: 'Bash', args: { command: look, description: 'Looks at the problem' } },
    { name: 'Read', args: { file_path } },
    { name: 'Edit', args: { file_path, old_string: old, new_string: changed } },
  ];
}

/** The model that it chooses by itself has one tool: JavaScript that calls the others. */
function codexCalls({ look, file, old, changed }: EditingModel): readonly ToolCall[] {
  const patch = [
    '*** Begin Patch',
    `*** Update File: ${file}`,
    '@@',
    `-${old}`,
    ...changed.split('\n').map((line) => `+${line}`),
    '*** End Patch',
    '',
  ].join('\n');
  return [
    { name: 'exec', args: `text(await tools.exec_command({ cmd: ${JSON.stringify(look)} }));` },
    { name: 'exec', args: `text(await tools.apply_patch(${JSON.stringify(patch)}));` },
  ];
}
