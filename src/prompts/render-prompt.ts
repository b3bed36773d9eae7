import nunjucks from 'nunjucks';
import { describeError, Refusal } from '../base/errors.ts';
import { fenceFor } from '../base/fence.ts';
import type { Json } from '../base/json.ts';
import { answerJsonSchema } from '../protocol/answer.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import { SYNTAX } from './check-template.ts';
import type { Template } from './check-template.ts';

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

const CHARS_MAX = 4_000_000;

/**
 * Texts from tasks, files and agents are values: they are never read as templates. Nothing is
 * escaped, since a model must see code as it is; instead each text stands in a slot, between two
 * marks that it can't hold.
 */
export function renderPrompt(
  name: string,
  templates: ReadonlyMap<string, Template>,
  values: PromptValues,
): string {
  const { role, task, targets, context, feedback = '' } = values;
  const fence = fenceFor([task, targets.join('\n'), context, feedback]);
  const environment = new nunjucks.Environment(loaderOf(templates), {
    autoescape: false,
    throwOnUndefined: true,
    ...SYNTAX,
  });
  // its own globals can compute without end
  Object.assign(environment, { globals: { slot: slot(fence.around) } });
  try {
    const text = environment.render(name, {
      role: { name: role.name, description: role.description, config: role.config },
      system_prompt: role.systemPrompt,
      mark: fence.mark,
      task,
      targets,
      context,
      feedback,
      answer: role.answer,
      answer_schema: JSON.stringify(answerJsonSchema(role.answer)),
    });
    if (text.length <= CHARS_MAX) return text;
    throw new Error(`the prompt has more than ${CHARS_MAX} characters`);
  } catch (error) {
    // what a template does wrong when it is filled in is for its author to mend
    const message = `${templates.get(name)?.file ?? name}: ${describeError(error)}`;
    const hint = 'Correct the template, or remove it to use the one of the package.';
    throw new Refusal({ code: 'template.invalid', message, hint, details: { template: name } });
  }
}

function slot(
  around: (name: string, text: string) => string,
): (name: unknown, text: unknown) => string {
  return (name, text) => {
    if (typeof name !== 'string' || !/^[a-z][a-z_]{0,31}$/.test(name) || typeof text !== 'string')
      throw new TypeError('slot takes a name of small letters and a text');
    return around(name, text);
  };
}

function loaderOf(templates: ReadonlyMap<string, Template>): nunjucks.ILoader {
  return {
    getSource(wanted) {
      const template = templates.get(wanted.replace(/\.j2$/, ''));
      if (template === undefined) throw new Error(`no template is called ${wanted}`);
      return { src: template.text, path: template.file, noCache: true };
    },
  };
}
