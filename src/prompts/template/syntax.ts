/** The parsed form of a prompt template. It is data: rendering walks it, and no step writes or compiles code. */
import { Refusal } from '../../base/errors.ts';

/** `name` is the file name without its `.j2` ending. */
export type Template = { readonly name: string; readonly file: string; readonly text: string };

export type BinaryOperator =
  | 'or'
  | 'and'
  | 'in'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '~'
  | '+'
  | '-'
  | '*'
  | '/'
  | '//'
  | '%';

export type Expression = { readonly line: number } & (
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'lookup'; readonly of: Expression; readonly key: Expression }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | {
      readonly kind: 'record';
      readonly entries: readonly { readonly key: string; readonly value: Expression }[];
    }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'negative'; readonly of: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'choice';
      readonly condition: Expression;
      readonly chosen: Expression;
      readonly otherwise?: Expression;
    }
  | {
      readonly kind: 'filter';
      readonly name: string;
      readonly of: Expression;
      readonly args: readonly Expression[];
    }
  | { readonly kind: 'test'; readonly name: string; readonly of: Expression }
  | { readonly kind: 'slot'; readonly args: readonly Expression[] }
  | { readonly kind: 'super' }
);

export type TemplateNode = { readonly line: number } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'output'; readonly value: Expression }
  | {
      readonly kind: 'if';
      readonly branches: readonly {
        readonly condition: Expression;
        readonly body: readonly TemplateNode[];
      }[];
      readonly otherwise: readonly TemplateNode[];
    }
  | {
      readonly kind: 'for';
      readonly names: readonly string[];
      readonly over: Expression;
      readonly body: readonly TemplateNode[];
      readonly whenEmpty: readonly TemplateNode[];
    }
  | { readonly kind: 'set'; readonly name: string; readonly value: Expression }
  | { readonly kind: 'capture'; readonly name: string; readonly body: readonly TemplateNode[] }
  | { readonly kind: 'block'; readonly name: string; readonly body: readonly TemplateNode[] }
  | { readonly kind: 'include'; readonly template: string }
);

export type ParsedTemplate = {
  readonly template: Template;
  /** The template that this one fills in, if there is one. */
  readonly parent: string | undefined;
  readonly body: readonly TemplateNode[];
  readonly blocks: ReadonlyMap<string, readonly TemplateNode[]>;
  /** Every template that this one extends or includes, once for each time that it does. */
  readonly parts: readonly string[];
};

/** Names that mean something in the language itself, so a template cannot use them for its own values. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set(
  'and or not in is if elif else for true false none null True False None slot super loop'.split(
    ' ',
  ),
);

export function refuseTemplate(
  { name, file }: Pick<Template, 'name' | 'file'>,
  line: number | undefined,
  message: string,
): Refusal {
  return new Refusal({
    code: 'template.invalid',
    message: `${line === undefined ? file : `${file}:${line}`}: ${message}`,
    hint: 'Correct the template, or remove it to use the one of the package.',
    details: { template: name },
  });
}
