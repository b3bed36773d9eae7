/** Makes the record of one tool call, with all of its texts bounded. */
import { defined } from '../base/defined.ts';
import { isRecord } from '../base/json.ts';
import type { TurnCall, TurnStep } from '../protocol/turn.ts';
import { TURN_BOUNDS } from '../protocol/turn.ts';
import { startsJob } from './background-job.ts';
import { boundedLine } from './bounded-text.ts';
import { callSignature, outputMark, parsedArguments } from './call-signature.ts';
import { isAnswer } from './finds-nothing.ts';
import { asksOutside } from './outside-question.ts';
import { countFailing, endsItem, readPlan } from './progress-signs.ts';
import { toolActivity } from './tool-activity.ts';
import { classifyToolError } from './tool-error.ts';
import { shellOutput } from './shell-output.ts';
import { toolSubject } from './tool-subject.ts';
import { isWaiting } from './waiting.ts';

const { nameCharsMax, subjectCharsMax, errorCharsMax, writesMax } = TURN_BOUNDS;

export type MadeCall = { readonly tool: string; readonly input: unknown };
/** `output`: its whole text. Null: it is not known. */
export type MadeResult = {
  readonly id: string;
  readonly isError: boolean;
  readonly output: string | null;
};

export function turnCall(call: MadeCall): TurnCall {
  const { tool, input } = withShortName(call);
  const subject = toolSubject(parsedArguments(input));
  return {
    tool,
    signature: callSignature(tool, input),
    ...(subject !== undefined && { subject: boundedLine(subject, subjectCharsMax) }),
  };
}

export function turnStep(made: MadeCall, result: MadeResult): TurnStep {
  const { tool, input } = withShortName(made);
  const args = parsedArguments(input);
  const said = shellOutput(result.output ?? '');
  const { text, code } = said;
  const subject = toolSubject(args);
  const isError = result.isError && !isAnswer(subject, said);
  const error = isError ? classifyToolError(text) : null;
  const errorText = text.trim() === '' && code !== null ? `exit code ${code}` : text;
  const isTyped = typedText(args).trim() !== '';
  const call = { tool, subject, output: text, error, isTyped };
  const waits = isWaiting(call);
  const outside = !waits && result.output !== null && asksOutside(call);
  const starts = !isError && startsJob(args, subject, result.output ?? '');
  const writes = isError ? [] : writtenFiles(tool, args);
  return {
    id: result.id.slice(0, nameCharsMax),
    ...turnCall({ tool, input }),
    ...(error !== null && { error }),
    ...(isError && errorText !== '' && { errorText: boundedLine(errorText, errorCharsMax) }),
    ...(result.output !== null && { output: outputMark(text) }),
    ...(writes.length > 0 && { writes }),
    ...(waits && { waits }),
    ...(outside && { outside }),
    ...(starts && { starts }),
    ...(!isError && endsItem(tool, args) && { endsItem: true }),
    ...defined({ plan: readPlan(tool, args), failing: countFailing(text) }),
  };
}

/** A model may call a tool by any text. No tool has a longer name. */
function withShortName({ tool, input }: MadeCall): MadeCall {
  return { tool: tool.slice(0, nameCharsMax), input };
}

/** Codex CLI reads a program that is running with the tool that also types into it. */
function typedText(args: unknown): string {
  return isRecord(args) && typeof args['chars'] === 'string' ? args['chars'] : '';
}

/** A longer path is left out, because half of a path names another file. */
function writtenFiles(tool: string, args: unknown): readonly string[] {
  const paths = toolActivity(tool, args).flatMap((one) => (one.kind === 'write' ? [one.path] : []));
  return [...new Set(paths)].filter((path) => path.length <= subjectCharsMax).slice(0, writesMax);
}
