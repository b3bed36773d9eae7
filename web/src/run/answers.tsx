/** The questions of a run that are not about a change, with their answers. */
import { useState } from 'react';
import type { ReactNode } from 'react';
import { shellWord } from '../../../src/base/shell-words.ts';
import type { OpenQuestion } from '../../../src/protocol/views/open-question.ts';
import { post } from '../connection/api.ts';
import { Action, useSending } from '../parts/action.tsx';
import { ago, visible } from '../parts/words.ts';

export function Answers({
  questions,
  now,
}: {
  readonly questions: readonly OpenQuestion[];
  readonly now: number;
}): ReactNode {
  return questions.map((question) => <Answer key={question.key} question={question} now={now} />);
}

function Answer({
  question,
  now,
}: {
  readonly question: OpenQuestion;
  readonly now: number;
}): ReactNode {
  const { run, root, part, key, choices, since, about } = question;
  const [text, setText] = useState('');
  const { isSending, problem, send } = useSending();
  const answer = (choice: string): void =>
    void send(() => post(`/v1/runs/${run}/answer`, { choice, key }));
  const busy = isSending ? 'the answer is on its way' : undefined;
  const word = text.trim();
  return (
    <section className="asks" aria-label="Question">
      <p className="question">{visible(question.question)}</p>
      <p className="note">
        {run === root ? '' : `${part ?? 'A run below'}, run ${run}. `}It waits for {ago(since, now)}
        .
      </p>
      {about === 'keys' ? <code className="command">$ supervisor resume {run}</code> : null}
      <div className="row">
        {choices.map((choice) => (
          <Action
            key={choice}
            label={choice}
            command={`supervisor answer ${run} ${shellWord(choice)}`}
            disabled={busy}
            onPress={() => answer(choice)}
          />
        ))}
      </div>
      {choices.length > 0 ? null : (
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (word !== '') answer(word);
          }}
        >
          <label className="grow">
            Your answer
            <input value={text} onChange={(event) => setText(event.target.value)} />
          </label>
          <button
            className="action main"
            disabled={word === '' || isSending}
            title={`supervisor answer ${run} …`}
          >
            Answer
          </button>
        </form>
      )}
      {problem === null ? null : (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
    </section>
  );
}
