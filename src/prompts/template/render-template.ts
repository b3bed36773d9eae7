/**
 * Renders parsed templates by walking them. Anyone who can write to a project can write a template,
 * so it gets values and nothing else, and every step and every character counts against a bound.
 */
import type { JsonObject } from '../../base/json.ts';
import { isRecord } from '../../base/json.ts';
import { applyOperator, toNumber } from './operators.ts';
import type { Expression, ParsedTemplate, TemplateNode } from './syntax.ts';
import { refuseTemplate } from './syntax.ts';
import type { Value } from './values.ts';
import {
  FILTERS,
  isTruthy,
  listKeys,
  lookup,
  printValue,
  toList,
  TESTS,
  TEXT_CHARS_MAX,
} from './values.ts';

const STEPS_MAX = 100_000;
/** How deep blocks, includes and loops may stand in each other. */
const DEPTH_MAX = 100;
/** Of every text and list that a step yields: linear work, so this bounds the time as well. */
const CHARS_MAX = 32_000_000;

export type RenderInput = {
  readonly templates: ReadonlyMap<string, ParsedTemplate>;
  readonly values: JsonObject;
  /** What `slot(name, text)` writes. */
  readonly slot: (name: Value, text: Value) => string;
};

/** Throws a refusal with file and line when a value is missing, is of the wrong kind, or a bound is met. */
export function renderTemplate(name: string, input: RenderInput): string {
  return new Renderer(input).render(name);
}

type Scope = { readonly values: Map<string, Value>; readonly outer: Scope | undefined };

/** Where we are: the template that is being walked, and the blocks that hide each other. */
type Position = {
  readonly template: ParsedTemplate;
  readonly blocks: ReadonlyMap<string, readonly BlockBody[]>;
  readonly scope: Scope;
  /** The bodies that `super()` leads to, nearest first. */
  readonly hidden: readonly BlockBody[];
};

type BlockBody = { readonly template: ParsedTemplate; readonly body: readonly TemplateNode[] };

class Renderer {
  readonly #input: RenderInput;
  #steps = 0;
  #chars = 0;
  #depth = 0;

  constructor(input: RenderInput) {
    this.#input = input;
  }

  render(name: string): string {
    const values = new Map<string, Value>(Object.entries(this.#input.values));
    const text = this.#template(name, { values, outer: undefined });
    if (text.length > TEXT_CHARS_MAX)
      throw refuseTemplate(
        this.#find(name).template,
        undefined,
        `the prompt has ${text.length} characters, and ${TEXT_CHARS_MAX} are allowed`,
      );
    return text;
  }

  /** From the child to the root of what it extends; the root's body is what is walked. */
  #template(name: string, scope: Scope): string {
    const blocks = new Map<string, BlockBody[]>();
    let template = this.#find(name);
    for (;;) {
      for (const [block, body] of template.blocks) {
        const bodies = blocks.get(block) ?? [];
        blocks.set(block, [...bodies, { template, body }]);
      }
      if (template.parent === undefined) break;
      // Of a template that fills in another one, only its blocks and its values count.
      const sets = template.body.filter(({ kind }) => kind === 'set' || kind === 'capture');
      this.#body(sets, { template, blocks, scope, hidden: [] });
      template = this.#find(template.parent);
    }
    return this.#body(template.body, { template, blocks, scope, hidden: [] });
  }

  #find(name: string): ParsedTemplate {
    const template = this.#input.templates.get(name);
    if (template === undefined) throw new Error(`the template ${name} was not loaded`);
    return template;
  }

  #body(body: readonly TemplateNode[], at: Position): string {
    const pieces: string[] = [];
    this.#depth += 1;
    for (const node of body) {
      this.#step(at, node.line);
      if (this.#depth > DEPTH_MAX)
        throw refuseTemplate(at.template.template, node.line, 'parts are nested too deeply');
      const piece = this.#guarded(at, node.line, () => this.#node(node, at));
      this.#count(piece, at, node.line);
      pieces.push(piece);
    }
    this.#depth -= 1;
    return pieces.join('');
  }

  #node(node: TemplateNode, at: Position): string {
    switch (node.kind) {
      case 'text':
        return node.text;
      case 'output':
        return this.#output(node.value, at);
      case 'if': {
        const branch = node.branches.find(({ condition }) => isTruthy(this.#value(condition, at)));
        return this.#body(branch?.body ?? node.otherwise, at);
      }
      case 'for':
        return this.#loop(node, at);
      case 'set':
        at.scope.values.set(node.name, this.#value(node.value, at));
        return '';
      case 'capture':
        at.scope.values.set(node.name, this.#body(node.body, inner(at)));
        return '';
      case 'block': {
        const [nearest, ...hidden] = at.blocks.get(node.name) ?? [];
        if (nearest === undefined) return '';
        return this.#body(nearest.body, { ...inner(at), template: nearest.template, hidden });
      }
      case 'include':
        return this.#template(node.template, inner(at).scope);
    }
  }

  #output(expression: Expression, at: Position): string {
    const value = this.#value(expression, at);
    if (value === undefined)
      throw new TypeError(`${shown(expression)} is undefined; "is defined" and "default" can tell`);
    return printValue(value);
  }

  #loop(node: TemplateNode & { kind: 'for' }, at: Position): string {
    const over = this.#value(node.over, at);
    const [first, second] = node.names;
    const items: readonly Value[] = isRecord(over)
      ? this.#keys(over, at, node.line).map((key) =>
          second === undefined ? key : [key, over[key] ?? null],
        )
      : toList(over);
    if (items.length === 0) return this.#body(node.whenEmpty, at);
    const pieces = items.map((item, index) => {
      this.#step(at, node.line);
      const { scope, ...rest } = inner(at);
      const loop = {
        index: index + 1,
        index0: index,
        first: index === 0,
        last: index === items.length - 1,
        length: items.length,
      };
      scope.values.set('loop', loop);
      if (second === undefined) scope.values.set(first ?? '', item);
      else {
        scope.values.set(first ?? '', lookup(item, 0));
        scope.values.set(second, lookup(item, 1));
      }
      return this.#body(node.body, { ...rest, scope });
    });
    return pieces.join('');
  }

  #value(expression: Expression, at: Position): Value {
    this.#step(at, expression.line);
    const value = this.#guarded(at, expression.line, () => this.#evaluate(expression, at));
    if (typeof value === 'string' || Array.isArray(value)) this.#count(value, at, expression.line);
    return value;
  }

  #evaluate(expression: Expression, at: Position): Value {
    switch (expression.kind) {
      case 'literal':
        return expression.value;
      case 'variable':
        return find(at.scope, expression.name);
      case 'lookup':
        return lookup(this.#value(expression.of, at), this.#value(expression.key, at));
      case 'list':
        return expression.items.map((item) => this.#value(item, at) ?? null);
      case 'record':
        return Object.fromEntries(
          expression.entries.map(({ key, value }) => [key, this.#value(value, at) ?? null]),
        );
      case 'not':
        return !isTruthy(this.#value(expression.of, at));
      case 'negative':
        return -toNumber(this.#value(expression.of, at));
      case 'binary':
        return this.#binary(expression, at);
      case 'choice':
        if (isTruthy(this.#value(expression.condition, at)))
          return this.#value(expression.chosen, at);
        return expression.otherwise === undefined ? '' : this.#value(expression.otherwise, at);
      case 'filter': {
        const args = expression.args.map((arg) => this.#value(arg, at));
        return FILTERS.get(expression.name)?.apply(this.#value(expression.of, at), args);
      }
      case 'test':
        return TESTS.get(expression.name)?.(this.#value(expression.of, at)) ?? false;
      case 'slot': {
        const [name, text] = expression.args.map((arg) => this.#value(arg, at));
        return this.#input.slot(name, text);
      }
      case 'super': {
        const [next, ...hidden] = at.hidden;
        if (next === undefined) throw new TypeError('super() has no block to show here');
        return this.#body(next.body, { ...inner(at), template: next.template, hidden });
      }
    }
  }

  #binary(expression: Expression & { kind: 'binary' }, at: Position): Value {
    const { operator } = expression;
    const left = this.#value(expression.left, at);
    if (operator === 'and') return isTruthy(left) ? this.#value(expression.right, at) : left;
    if (operator === 'or') return isTruthy(left) ? left : this.#value(expression.right, at);
    const right = this.#value(expression.right, at);
    return applyOperator(operator, left, right);
  }

  #step({ template }: Position, line: number): void {
    this.#steps += 1;
    if (this.#steps > STEPS_MAX)
      throw refuseTemplate(template.template, line, `rendering takes more than ${STEPS_MAX} steps`);
  }

  /** Counted like a list, which this makes of them. */
  #keys(record: Readonly<Record<string, Value>>, at: Position, line: number): readonly string[] {
    const keys = listKeys(record);
    this.#count(keys, at, line);
    return keys;
  }

  #count(text: string | readonly unknown[], { template }: Position, line: number): void {
    this.#chars += text.length;
    if (this.#chars > CHARS_MAX)
      throw refuseTemplate(
        template.template,
        line,
        `rendering makes more than ${CHARS_MAX} characters of text`,
      );
  }

  /** A value of the wrong kind is the author's mistake: it gets the file and the line. */
  #guarded<T>({ template }: Position, line: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (error instanceof TypeError) throw refuseTemplate(template.template, line, error.message);
      if (error instanceof RangeError)
        throw refuseTemplate(template.template, line, 'this value is nested too deeply');
      throw error;
    }
  }
}

/** What is set in a block, a loop or an include is not seen outside of it. */
function inner(at: Position): Position {
  return { ...at, scope: { values: new Map(), outer: at.scope } };
}

function find(scope: Scope, name: string): Value {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer)
    if (at.values.has(name)) return at.values.get(name);
  return undefined;
}

function shown(expression: Expression): string {
  if (expression.kind === 'variable') return `"${expression.name}"`;
  if (expression.kind === 'lookup' && expression.key.kind === 'literal') {
    const of = shown(expression.of);
    if (of.startsWith('"')) return `${of.slice(0, -1)}.${expression.key.value}"`;
  }
  return 'this value';
}
