/**
 * Searches the memory of this process, including private fields and closures, as a debugger does.
 */
import { Session } from 'node:inspector';

const KINDS = { map: 'Map', set: 'Set', list: 'Array', record: 'Object' } as const;

/** A collection in memory that stores something under a name. */
export type Filed = { readonly in: keyof typeof KINDS; readonly under: string };

/**
 * Every reachable map, set, list of strings and record that has one of the names in a key. The
 * names come as one text with bars between them: a list of them would be found itself.
 */
export function filedUnder(names: string): readonly Filed[] {
  return (Object.keys(KINDS) as (keyof typeof KINDS)[]).flatMap(
    (kind) => ask(`${KINDS[kind]}.prototype`, search(kind, names)) as readonly Filed[],
  );
}

/** How many objects of a class are still reachable. */
export function held(ofClass: { readonly prototype: object }): number {
  const shelf = globalThis as { prototypeAskedFor?: object };
  shelf.prototypeAskedFor = ofClass.prototype;
  const count = ask('globalThis.prototypeAskedFor', 'function () { return this.length; }');
  delete shelf.prototypeAskedFor;
  return Number(count);
}

/** Calls no getter: of a record it reads only the names of the keys. */
function search(kind: keyof typeof KINDS, names: string): string {
  return `function () {
    const wanted = /${names}/;
    const keysOf = {
      map: (one) => [...Map.prototype.keys.call(one)],
      set: (one) => [...Set.prototype.keys.call(one)],
      list: (one) => one,
      record: (one) => Object.keys(one),
    }.${kind};
    const safely = (one) => {
      try {
        return keysOf(one);
      } catch {
        return []; // a prototype, which only inherits from a map or a set
      }
    };
    return this.flatMap((one) => {
      const key = safely(one).find((each) => typeof each === 'string' && wanted.test(each));
      return key === undefined ? [] : [{ in: '${kind}', under: key }];
    });
  }`;
}

/** Unreachable objects are not listed: V8 collects its garbage first. */
function ask(prototype: string, functionDeclaration: string): unknown {
  const session = new Session();
  session.connect();
  try {
    const { result } = post(session, 'Runtime.evaluate', { expression: prototype });
    const prototypeObjectId = result?.objectId;
    const { objects } = post(session, 'Runtime.queryObjects', { prototypeObjectId });
    const answer = post(session, 'Runtime.callFunctionOn', {
      objectId: objects?.objectId,
      functionDeclaration,
      returnByValue: true,
    });
    if (answer.exceptionDetails !== undefined) throw new Error(JSON.stringify(answer));
    return answer.result?.value;
  } finally {
    session.disconnect();
  }
}

type Remote = { readonly objectId?: string; readonly value?: unknown };
type Answer = {
  readonly result?: Remote;
  readonly objects?: Remote;
  readonly exceptionDetails?: unknown;
};

/** A session on its own thread answers before it returns. */
function post(session: Session, method: string, params: object): Answer {
  let answered: Answer | undefined;
  session.post(method, params, (error, answer) => {
    if (error !== null) throw new Error(`${method}: ${error.message}`);
    answered = answer as Answer;
  });
  if (answered === undefined) throw new Error(`${method} has no answer`);
  return answered;
}
