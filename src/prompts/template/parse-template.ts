/** Reads the tags of a template: conditions, loops, blocks, includes and values of its own. */
import { ExpressionParser } from './parse-expression.ts';
import type { ParsedTemplate, Template, TemplateNode } from './syntax.ts';
import { refuseTemplate } from './syntax.ts';
import type { Segment } from './tokens.ts';
import { cutTemplate } from './tokens.ts';

const NESTING_MAX = 20;
/** Bounds the depth of chains such as `a ~ b ~ c`, which are not nested in the text. */
const TOKENS_MAX = 500;

type Tag = { readonly word: string; readonly rest: ExpressionParser; readonly line: number };

/** Throws a refusal with file and line for the first thing that is not in the language. */
export function parseTemplate(template: Template): ParsedTemplate {
  return new TemplateParser(template).parse();
}

class TemplateParser {
  readonly #template: Template;
  readonly #segments: readonly Segment[];
  readonly #blocks = new Map<string, readonly TemplateNode[]>();
  readonly #parts: string[] = [];
  #parent: string | undefined;
  #at = 0;
  #nesting = 0;

  constructor(template: Template) {
    this.#template = template;
    this.#segments = cutTemplate(template);
  }

  parse(): ParsedTemplate {
    const { body } = this.#body([]);
    return {
      template: this.#template,
      parent: this.#parent,
      body,
      blocks: this.#blocks,
      parts: this.#parts,
    };
  }

  /** Reads until one of the tags in `ends`, which it takes. */
  #body(ends: readonly string[]): { readonly body: readonly TemplateNode[]; readonly end?: Tag } {
    const body: TemplateNode[] = [];
    const begun = this.#segments[this.#at - 1]?.line;
    this.#nesting += 1;
    if (this.#nesting > NESTING_MAX) throw this.#refuse(begun, 'tags are nested too deeply');
    for (;;) {
      const segment = this.#segments[this.#at];
      if (segment === undefined) {
        if (ends.length > 0)
          throw this.#refuse(begun, `the tag that begins here has no "${ends.at(-1)}"`);
        this.#nesting -= 1;
        return { body };
      }
      this.#at += 1;
      if (segment.kind === 'text') {
        body.push(segment);
        continue;
      }
      if (segment.tokens.length > TOKENS_MAX)
        throw this.#refuse(segment.line, `a tag has at most ${TOKENS_MAX} words and signs`);
      const rest = new ExpressionParser(this.#template, segment.tokens, segment.line);
      if (segment.kind === 'output') {
        body.push({ kind: 'output', value: rest.expression(), line: segment.line });
        rest.end();
        continue;
      }
      const [first] = segment.tokens;
      const word = first?.kind === 'name' ? first.text : '';
      rest.takes(word);
      const tag: Tag = { word, rest, line: segment.line };
      if (ends.includes(word)) {
        this.#nesting -= 1;
        return { body, end: tag };
      }
      const node = this.#node(tag);
      if (node !== undefined) body.push(node);
    }
  }

  #node(tag: Tag): TemplateNode | undefined {
    const { word, rest, line } = tag;
    switch (word) {
      case 'if':
        return this.#if(tag);
      case 'for':
        return this.#for(tag);
      case 'set':
        return this.#set(tag);
      case 'block': {
        const name = rest.name();
        rest.end();
        if (this.#blocks.has(name))
          throw this.#refuse(line, `there are two blocks named "${name}"`);
        const body = this.#until('endblock', name);
        this.#blocks.set(name, body);
        return { kind: 'block', name, body, line };
      }
      case 'include': {
        const template = rest.templateName();
        rest.end();
        this.#parts.push(template);
        return { kind: 'include', template, line };
      }
      case 'extends': {
        if (this.#parent !== undefined) throw this.#refuse(line, 'a template extends one other');
        if (this.#nesting > 1) throw this.#refuse(line, '"extends" stands outside of other tags');
        this.#parent = rest.templateName();
        rest.end();
        this.#parts.push(this.#parent);
        return undefined;
      }
      default:
        throw this.#refuse(
          line,
          word === '' ? 'a tag begins with a word' : `the tag "${word}" is not allowed here`,
        );
    }
  }

  #if({ rest, line }: Tag): TemplateNode {
    const branches: {
      condition: ReturnType<ExpressionParser['expression']>;
      body: readonly TemplateNode[];
    }[] = [];
    let condition = rest.expression();
    rest.end();
    for (;;) {
      const { body, end } = this.#body(['elif', 'else', 'endif']);
      branches.push({ condition, body });
      if (end?.word === 'elif') {
        condition = end.rest.expression();
        end.rest.end();
        continue;
      }
      end?.rest.end();
      const otherwise = end?.word === 'else' ? this.#until('endif') : [];
      return { kind: 'if', branches, otherwise, line };
    }
  }

  #for({ rest, line }: Tag): TemplateNode {
    const names = [rest.name()];
    if (rest.takes(',')) names.push(rest.name());
    rest.expect('in');
    const over = rest.expression();
    rest.end();
    const { body, end } = this.#body(['else', 'endfor']);
    end?.rest.end();
    const whenEmpty = end?.word === 'else' ? this.#until('endfor') : [];
    return { kind: 'for', names, over, body, whenEmpty, line };
  }

  #set({ rest, line }: Tag): TemplateNode {
    const name = rest.name();
    if (rest.isDone) return { kind: 'capture', name, body: this.#until('endset'), line };
    rest.expect('=');
    const value = rest.expression();
    rest.end();
    return { kind: 'set', name, value, line };
  }

  /** `name` may be repeated in the closing tag, as Jinja2 allows for blocks. */
  #until(word: string, name?: string): readonly TemplateNode[] {
    const { body, end } = this.#body([word]);
    if (name !== undefined) end?.rest.takes(name);
    end?.rest.end();
    return body;
  }

  #refuse(line: number | undefined, message: string): Error {
    return refuseTemplate(this.#template, line, message);
  }
}
