/** Reads an expression by precedence climbing. Nothing can be called but `slot` and `super`. */
import type { BinaryOperator, Expression, Template } from './syntax.ts';
import { refuseTemplate, RESERVED_NAMES } from './syntax.ts';
import type { Token } from './tokens.ts';
import { FILTERS, TESTS } from './values.ts';

const DEPTH_MAX = 50;
const LITERALS: Readonly<Record<string, boolean | null>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  null: null,
};
/** Weakest first; "not", "is" and comparisons stand between "and" and "~". */
const SUMS: readonly (readonly BinaryOperator[])[] = [['~'], ['+', '-'], ['*', '/', '//', '%']];
const COMPARISONS: readonly BinaryOperator[] = ['==', '!=', '<', '<=', '>', '>='];

export class ExpressionParser {
  readonly #template: Template;
  readonly #tokens: readonly Token[];
  readonly #line: number;
  #at = 0;
  #depth = 0;

  constructor(template: Template, tokens: readonly Token[], line: number) {
    this.#template = template;
    this.#tokens = tokens;
    this.#line = line;
  }

  /** Whether all tokens have been read. */
  get isDone(): boolean {
    return this.#at >= this.#tokens.length;
  }

  end(): void {
    if (!this.isDone) throw this.refuse(`${this.#shown()} is not expected here`);
  }

  refuse(message: string): Error {
    return refuseTemplate(this.#template, this.#tokens[this.#at]?.line ?? this.#line, message);
  }

  /** A name that the template may give to a value or a block of its own. */
  name(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'name') throw this.refuse(`a name is expected, not ${this.#shown()}`);
    if (RESERVED_NAMES.has(token.text))
      throw this.refuse(`"${token.text}" has a meaning of its own and cannot be used as a name`);
    this.#at += 1;
    return token.text;
  }

  /** The name of a template, which must be written as a string. */
  templateName(): string {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'string')
      throw this.refuse('the name of a template must be written out in quotes');
    this.#at += 1;
    return token.value.replace(/\.j2$/, '');
  }

  takes(text: string): boolean {
    const token = this.#tokens[this.#at];
    const isIt = (token?.kind === 'symbol' || token?.kind === 'name') && token.text === text;
    if (isIt) this.#at += 1;
    return isIt;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw this.refuse(`"${text}" is expected, not ${this.#shown()}`);
  }

  expression(): Expression {
    return this.#deeper(() => {
      const chosen = this.#or();
      if (!this.takes('if')) return chosen;
      const condition = this.#or();
      const otherwise = this.takes('else') ? this.expression() : undefined;
      return {
        kind: 'choice',
        condition,
        chosen,
        ...(otherwise && { otherwise }),
        line: chosen.line,
      };
    });
  }

  #or(): Expression {
    let left = this.#and();
    while (this.takes('or')) left = binary('or', left, this.#and());
    return left;
  }

  #and(): Expression {
    let left = this.#not();
    while (this.takes('and')) left = binary('and', left, this.#not());
    return left;
  }

  #not(): Expression {
    const line = this.#currentLine();
    if (!this.takes('not')) return this.#comparison();
    return this.#deeper(() => ({ kind: 'not', of: this.#not(), line }));
  }

  #comparison(): Expression {
    const left = this.#sum(0);
    const operator = COMPARISONS.find((one) => this.takes(one));
    if (operator !== undefined) return binary(operator, left, this.#sum(0));
    if (this.takes('in')) return binary('in', left, this.#sum(0));
    if (this.takes('not')) {
      this.expect('in');
      return { kind: 'not', of: binary('in', left, this.#sum(0)), line: left.line };
    }
    return left;
  }

  #sum(level: number): Expression {
    const operators = SUMS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#sum(level + 1);
    for (;;) {
      const operator = operators.find((one) => this.takes(one));
      if (operator === undefined) return left;
      left = binary(operator, left, this.#sum(level + 1));
    }
  }

  #unary(): Expression {
    const line = this.#currentLine();
    if (this.takes('-')) return this.#deeper(() => ({ kind: 'negative', of: this.#unary(), line }));
    let value = this.#primary();
    for (;;) {
      if (this.takes('.')) value = this.#member(value);
      else if (this.takes('[')) {
        const key = this.expression();
        this.expect(']');
        value = { kind: 'lookup', of: value, key, line };
      } else if (this.takes('|')) value = this.#filter(value);
      else if (this.takes('is')) value = this.#test(value);
      else if (this.takes('(')) throw this.refuse('nothing can be called but slot and super');
      else return value;
    }
  }

  #primary(): Expression {
    const token = this.#tokens[this.#at];
    const line = this.#currentLine();
    if (token === undefined) throw this.refuse('an expression is expected');
    if (token.kind === 'string' || token.kind === 'number') {
      this.#at += 1;
      return { kind: 'literal', value: token.value, line };
    }
    if (this.takes('(')) {
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    if (this.takes('[')) return { kind: 'list', items: this.#list(']'), line };
    if (this.takes('{')) return this.#record(line);
    if (token.kind === 'name') {
      if (Object.hasOwn(LITERALS, token.text)) {
        this.#at += 1;
        return { kind: 'literal', value: LITERALS[token.text] ?? null, line };
      }
      if (token.text === 'slot' || token.text === 'super') return this.#call(token.text, line);
      if (token.text === 'loop') {
        this.#at += 1;
        return { kind: 'variable', name: 'loop', line };
      }
      return { kind: 'variable', name: this.name(), line };
    }
    throw this.refuse(`an expression is expected, not ${this.#shown()}`);
  }

  #call(name: 'slot' | 'super', line: number): Expression {
    this.#at += 1;
    this.expect('(');
    const args = this.#list(')');
    const argumentCount = name === 'slot' ? 2 : 0;
    if (args.length !== argumentCount)
      throw this.refuse(`${name} takes ${argumentCount} values and is given ${args.length}`);
    return name === 'slot' ? { kind: 'slot', args, line } : { kind: 'super', line };
  }

  #member(of: Expression): Expression {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'name' && !(token?.kind === 'number' && Number.isInteger(token.value)))
      throw this.refuse(`a key is expected after ".", not ${this.#shown()}`);
    this.#at += 1;
    const value = token.kind === 'name' ? token.text : token.value;
    return { kind: 'lookup', of, key: { kind: 'literal', value, line: token.line }, line: of.line };
  }

  #filter(of: Expression): Expression {
    const token = this.#tokens[this.#at];
    const name = token?.kind === 'name' ? token.text : '';
    const filter = FILTERS.get(name);
    if (filter === undefined)
      throw this.refuse(
        `there is no filter ${this.#shown()}; there are ${[...FILTERS.keys()].join(', ')}`,
      );
    this.#at += 1;
    const args = this.takes('(') ? this.#list(')') : [];
    if (args.length > filter.argsMax || args.length < filter.argsMin)
      throw this.refuse(`the filter "${name}" is given ${args.length} values`);
    return { kind: 'filter', name, of, args, line: of.line };
  }

  #test(of: Expression): Expression {
    const isNegated = this.takes('not');
    const token = this.#tokens[this.#at];
    const name = token?.kind === 'name' ? token.text : '';
    if (!TESTS.has(name))
      throw this.refuse(
        `there is no test ${this.#shown()}; there are ${[...TESTS.keys()].join(', ')}`,
      );
    this.#at += 1;
    const test: Expression = { kind: 'test', name, of, line: of.line };
    return isNegated ? { kind: 'not', of: test, line: of.line } : test;
  }

  #list(closing: string): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.takes(closing)) {
      if (items.length > 0) this.expect(',');
      if (items.length > 0 && this.takes(closing)) break;
      items.push(this.expression());
    }
    return items;
  }

  #record(line: number): Expression {
    const entries: { key: string; value: Expression }[] = [];
    while (!this.takes('}')) {
      if (entries.length > 0) this.expect(',');
      if (entries.length > 0 && this.takes('}')) break;
      const token = this.#tokens[this.#at];
      if (token?.kind !== 'string') throw this.refuse('a key of a record must be a string');
      this.#at += 1;
      this.expect(':');
      entries.push({ key: token.value, value: this.expression() });
    }
    return { kind: 'record', entries, line };
  }

  /** Bounds the recursion of this parser and of everything that later walks the tree. */
  #deeper(parse: () => Expression): Expression {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw this.refuse('this expression is nested too deeply');
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  #currentLine(): number {
    return this.#tokens[this.#at]?.line ?? this.#line;
  }

  #shown(): string {
    const token = this.#tokens[this.#at];
    if (token === undefined) return 'the end';
    return JSON.stringify('text' in token ? token.text : token.value);
  }
}

function binary(operator: BinaryOperator, left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator, left, right, line: left.line };
}
