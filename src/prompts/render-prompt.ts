import { promptFence } from '../base/prompt-fence.ts';
import type { PromptFence } from '../base/prompt-fence.ts';
import type { Json } from '../base/json.ts';
import { answerJsonSchema } from '../protocol/answer.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import { renderTemplate } from './template/render-template.ts';
import type { ParsedTemplate } from './template/syntax.ts';

export type PromptValues = {
  readonly role: {
    readonly name: string;
    readonly description: string;
    readonly systemPrompt: string;
    readonly answer: AnswerKind;
    readonly config: Readonly<Record<string, Json>>;
  };
  readonly task: string;
  readonly targets: readonly string[];
  /** The packed context; empty for a frame, that is a prompt whose size is wanted. */
  readonly context: string;
  /** Why the last answer or attempt was not good enough. */
  readonly feedback?: string;
};

/**
 * Texts from tasks, files and agents are values: they are never read as templates. Nothing is
 * escaped, because a model must see code as it is. Instead each text stands in a slot, between two
 * marks that the text does not contain.
 */
export function renderPrompt(
  name: string,
  templates: ReadonlyMap<string, ParsedTemplate>,
  values: PromptValues,
): string {
  const { role, task, targets, context, feedback = '' } = values;
  const fence = promptFence([task, targets.join('\n'), context, feedback]);
  return renderTemplate(name, {
    templates,
    slot: (slotName, text) => slot(fence.around, slotName, text),
    values: {
      role: { name: role.name, description: role.description, config: role.config },
      system_prompt: role.systemPrompt,
      mark: fence.mark,
      task,
      targets,
      context,
      feedback,
      answer: role.answer,
      answer_schema: JSON.stringify(answerJsonSchema(role.answer)),
    },
  });
}

function slot(around: PromptFence['around'], name: unknown, text: unknown): string {
  if (typeof name !== 'string' || !/^[a-z][a-z_]{0,31}$/.test(name) || typeof text !== 'string')
    throw new TypeError('slot takes a name of lowercase letters and a text');
  return around(name, text);
}
