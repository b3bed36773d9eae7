import type { Clock } from '../../base/clock.ts';
import type { Json } from '../../base/json.ts';
import { isRecord, parseJson } from '../../base/json.ts';
import type { ServerDoor, IncomingRequest, RefusedRequest } from './admit-request.ts';
import { brokenRules, refuseBody, refuseCaller } from './admit-request.ts';
import type { Faults, TransportFault } from './model-faults.ts';
import { isTransportFault } from './model-faults.ts';
import type { Answered, RecordedExchange } from './request-journal.ts';
import type { Conversations } from '../../gateway/calls/classify-call.ts';
import { classifyCall } from '../../gateway/calls/classify-call.ts';
import type { ModelRoute } from './model-route.ts';
import { modelsBody } from './model-route.ts';
import type { ScriptedAnswer, Cue, Script, ScriptFunction } from './model-script.ts';
import { countResults, cueFor, replyTo, buildSample } from './model-script.ts';
import type { ResponseStream } from './send-response.ts';
import type { WireRequest, ModelRequest, ModelProblem } from './model-wire.ts';

/** What the server knows when it answers. */
export type ResponseContext = ServerDoor & {
  readonly clock: Clock;
  readonly script: readonly Script[] | ScriptFunction;
  readonly side: ScriptedAnswer | undefined;
  readonly faults: Faults;
  readonly conversations: Conversations;
  readonly nextId: () => string;
};

type About = Pick<
  RecordedExchange,
  'kind' | 'conversation' | 'model' | 'stream' | 'toolResults' | 'body' | 'tolerated'
>;

export type ResponseDecision = About & {
  readonly responseStream: ResponseStream;
  readonly answered: Answered;
  readonly fault?: TransportFault;
};

const KNOWN_MODELS = ['claude-opus-4-8', 'gpt-5.5', 'gemini-2.5-flash'];

/** Decides the answer and its journal entry. Touches no socket. */
export function decideResponse(
  incoming: IncomingRequest,
  route: ModelRoute,
  context: ResponseContext,
): ResponseDecision {
  const { wire, operation } = route;
  const body = parseJson(incoming.body?.toString('utf8') ?? '');
  const wireRequest: WireRequest = { body: isRecord(body) ? body : {}, headers: incoming.headers };
  const request = wire.read(wireRequest, incoming.url);
  const breach = brokenRules(route, wireRequest, context.tolerate);
  const about: About = {
    kind: kindFor(route, incoming, request),
    conversation: context.conversations.identify(incoming.headers, request.units),
    model: request.model,
    stream: request.stream,
    toolResults: countResults(request.units),
    body,
    tolerated: breach.tolerated,
  };
  const spell = speller(route, request, wireRequest, context);

  const caller = refuseCaller(route, incoming, context);
  if (caller !== undefined) return { ...about, ...spell.refusal(caller) };
  if (operation === 'probe')
    return { ...about, responseStream: spell.json({ status: 'ok' }), answered: { kind: 'probe' } };
  if (operation === 'models') {
    const models = modelsBody(wire, incoming.url, context.models ?? KNOWN_MODELS);
    return models === undefined
      ? { ...about, ...spell.refusal({ rule: 'model', problem: { kind: 'model-not-found' } }) }
      : { ...about, responseStream: spell.json(models), answered: { kind: 'models' } };
  }
  const refused = refuseBody(route, incoming, body, breach, request, context);
  if (refused !== undefined) return { ...about, ...spell.refusal(refused) };

  const bytes = incoming.body?.length ?? 0;
  const { step, answer } = cue(about, route, request, context);
  const fault = context.faults.strike(about.kind, step);
  const answered: Answered =
    fault === undefined ? plainly(about.kind, step) : { kind: 'fault', fault: fault.kind, step };
  if (fault !== undefined && !isTransportFault(fault))
    return { ...about, responseStream: spell.problem(fault), answered };
  if (fault?.kind === 'error-event' && !request.stream)
    // no stream to put it into
    return {
      ...about,
      responseStream: spell.problem({ kind: fault.problem ?? 'overloaded' }),
      answered,
    };
  const responseStream =
    operation === 'count'
      ? spell.json(wire.count(Math.ceil(bytes / 4)))
      : spell.answer(answer, bytes, fault);
  return { ...about, responseStream, answered, ...(fault !== undefined && { fault }) };
}

function kindFor(
  { operation }: ModelRoute,
  { headers }: IncomingRequest,
  request: ModelRequest,
): RecordedExchange['kind'] {
  if (operation === 'generate') return classifyCall(headers, request);
  return operation === 'count' ? 'count' : 'probe';
}

function plainly(kind: RecordedExchange['kind'], step: number): Answered {
  return kind === 'main' || kind === 'sub' ? { kind: 'step', step } : { kind };
}

/** Only work is played from the script: a title or a summary must not use up or repeat a step. */
function cue(
  about: About,
  { wire }: ModelRoute,
  request: ModelRequest,
  context: ResponseContext,
): Cue {
  const canned = {
    step: 0,
    answer: context.side ?? { text: cannedText(about.kind, request.schema) },
  };
  if (about.kind === 'side') return canned;
  if (typeof context.script === 'function') {
    const answer = context.script({ ...request, ...about, wire: wire.name });
    return { step: about.toolResults, answer: answer ?? canned.answer };
  }
  return about.kind === 'compaction' ? canned : cueFor(context.script, request.units);
}

function cannedText(kind: RecordedExchange['kind'], schema: unknown): string {
  if (schema !== undefined) return JSON.stringify(buildSample(schema));
  if (kind === 'compaction') return 'A summary of the work so far.';
  return kind === 'side' ? 'A short title' : 'Done.';
}

/** Renders the decision in the provider's format. */
function speller(
  { wire }: ModelRoute,
  request: ModelRequest,
  wireRequest: WireRequest,
  context: ResponseContext,
) {
  const now = context.clock.now();
  const id = { [wire.requestIdHeader]: `req_${context.nextId()}` };
  const errorFrame = (fault?: TransportFault): string => {
    const kind = fault?.kind === 'error-event' ? fault.problem : undefined;
    return wire.problemFrame({ kind: kind ?? 'overloaded', model: request.model, nowMs: now });
  };
  const json = (
    body: Json,
    status = 200,
    headers = {},
    fault?: TransportFault,
  ): ResponseStream => ({
    status,
    headers: { 'content-type': 'application/json', ...id, ...headers },
    frames: [JSON.stringify(body)],
    errorFrame: errorFrame(fault),
  });
  const problem = (what: Omit<ModelProblem, 'nowMs'>): ResponseStream => {
    const { status, headers, body } = wire.problem({ model: request.model, ...what, nowMs: now });
    return json(body, status, headers);
  };
  return {
    json,
    problem,
    refusal({
      rule,
      problem: what,
    }: RefusedRequest): Pick<ResponseDecision, 'responseStream' | 'answered'> {
      const message = what.message ?? what.kind;
      return { responseStream: problem(what), answered: { kind: 'refused', rule, message } };
    },
    answer(
      answer: ScriptedAnswer,
      bytes: number,
      fault: TransportFault | undefined,
    ): ResponseStream {
      const reply = replyTo(answer, { model: request.model, bytes }, now, context.nextId);
      if (!request.stream) return json(wire.body(reply), 200, answer.headers, fault);
      const headers = {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
        ...id,
        ...answer.headers,
      };
      const frames = wire.frames(reply, wireRequest);
      return { status: 200, headers, frames, errorFrame: errorFrame(fault) };
    },
  };
}
