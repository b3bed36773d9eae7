/** What a step reads when it runs again, by the category of what went wrong. */
import type { Json } from '../base/json.ts';
import { renderProgramPrompt } from '../prompts/render-program-prompt.ts';
import type { AnswerKind } from '../protocol/answer.ts';
import { answerJsonSchema } from '../protocol/answer.ts';
import type { StepFeedback } from '../protocol/contracts/workflow-contract.ts';

/** In characters. A report ends with its most important lines. */
const REPORT_MAX = 4000;
const TEXT_MAX = 16_000;

export type FeedbackFacts = {
  readonly category: StepFeedback['category'];
  /** Which time the step will run, from 2. */
  readonly visit: number;
  /** The step that will read it. */
  readonly step: string;
  readonly from: string;
  readonly report: string;
  /** The form of the answer of its role. Null: it has none. */
  readonly answer: AnswerKind | null;
  /** What it was told before. It still holds if the step only failed in between. */
  readonly earlier: StepFeedback | null;
};

export function writeFeedback(facts: FeedbackFacts): StepFeedback {
  const { category, visit, step, from, report, answer, earlier } = facts;
  const text = renderProgramPrompt('workflow/feedback', {
    category,
    visit: ordinal(visit),
    from: JSON.stringify(from),
    from_other: from !== step,
    text: report.length <= REPORT_MAX ? report : `…${report.slice(-REPORT_MAX)}`,
    schema: answer === null ? '' : JSON.stringify(answerJsonSchema(answer)),
    example: answer === null ? '' : JSON.stringify(EXAMPLES[answer], null, 2),
    escape: answer === null ? '' : ESCAPES[answer],
  });
  const before = earlier !== null && earlier.from !== step && from === step ? earlier.text : null;
  const whole = before === null ? text : `${text}\n\n${before}`;
  return { category, visit, from, text: whole.slice(0, TEXT_MAX) };
}

/** The same feedback again, because the step left the same files as an earlier visit. */
export function addUnchanged(feedback: StepFeedback, visit: number): StepFeedback {
  const text = renderProgramPrompt('workflow/unchanged', { feedback: feedback.text });
  return { ...feedback, visit, text: text.slice(0, TEXT_MAX) };
}

function ordinal(count: number): string {
  const last = count % 10;
  const isTeen = count % 100 > 10 && count % 100 < 14;
  const ending = isTeen ? 'th' : last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th';
  return `${count}${ending}`;
}

/** Only the field of the schema decides, so the way out is a word of that field. */
const ESCAPES: Readonly<Record<AnswerKind, string>> = {
  plan: 'If it is impossible, answer with the status BLOCKED and name the risks.',
  implementation: 'If it is impossible, answer with the status FAILED and name the blockers.',
  review: '',
  generic: 'If it is impossible, answer with the status BLOCKED and name the blockers.',
};

const EXAMPLES: Readonly<Record<AnswerKind, Json>> = {
  plan: {
    status: 'COMPLETE',
    phases: [
      {
        id: 'first',
        title: 'Read the settings',
        components: [{ id: 'reader', title: 'The reader', files: ['src/reader.ts'] }],
      },
    ],
    dependencies: [],
    estimated_components: 1,
  },
  implementation: {
    status: 'SUCCESS',
    files_created: ['src/reader.ts'],
    files_modified: [],
    tests_written: ['src/reader.test.ts'],
  },
  review: {
    status: 'CHANGES_REQUESTED',
    issues: [
      { severity: 'high', file: 'src/reader.ts', line: 12, description: 'It leaks the file.' },
    ],
    suggestions: [],
  },
  generic: {
    status: 'SUCCESS',
    action_taken: 'Wrote the reader.',
    files_modified: ['src/reader.ts'],
    review_status: null,
    blockers: null,
    next_step: null,
  },
};
