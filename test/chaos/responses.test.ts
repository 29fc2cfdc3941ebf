import { expect } from 'chai';
import { Responses } from '../../chaos/responses.ts';

const ago = (ms: number) => performance.now() - ms;

/** A run whose baseline had responses of this length, of which some were refused. */
function afterBaseline({ ms = 100, refused = 0 }: { ms?: number; refused?: number } = {}): Responses {
  const responses = new Responses();
  for (let i = 0; i < 100; i += 1) responses.record('an order', i < refused ? 503 : 201, ago(ms));
  responses.endBaseline(2, 5);
  return responses;
}

describe('the verdict of the chaos run on responses', () => {
  it('takes a response that is slow in a fault for a failure on a machine that has room', () => {
    const responses = afterBaseline();
    responses.beginFault('web: slow');
    responses.record('a page', 200, ago(8_000));
    expect(responses.faults).to.deep.equal(['a page during "web: slow" took 8000 ms']);
  });

  it('takes it for the machine where the baseline is slow too', () => {
    const responses = afterBaseline({ ms: 2_000 });
    responses.beginFault('web: slow');
    responses.record('a page', 200, ago(8_000));
    expect(responses.faults).to.deep.equal([]);
  });

  it('excuses no machine further than four times', () => {
    const responses = afterBaseline({ ms: 15_000 });
    responses.beginFault('web: slow');
    responses.record('a page', 200, ago(21_000));
    expect(responses.limit(5_000)).to.equal(20_000);
    expect(responses.faults).to.deep.equal(['a page during "web: slow" took 21000 ms']);
  });

  it('has no verdict when the baseline itself is beyond all limits', () => {
    const judge = (record: (responses: Responses) => void, seconds: number | null = 2) => {
      const responses = new Responses();
      record(responses);
      return () => responses.endBaseline(seconds, 5);
    };
    expect(judge((responses) => responses.record('a page', 200, ago(25_000)))).to.throw('took 25000 ms');
    expect(judge((responses) => responses.record('a page', 503, ago(1)))).to.throw('1 of 1 requests');
    expect(judge((responses) => responses.record('a page', 500, ago(1)))).to.throw('returned 500');
    expect(judge((responses) => responses.record('a page', 200, ago(1)), null)).to.throw('not well in time');
  });

  it('refuses a status that nothing excuses, however slow the machine is', () => {
    const responses = afterBaseline({ ms: 4_000, refused: 40 });
    responses.beginFault('web: slow');
    responses.record('a page', 500, ago(1));
    expect(responses.faults).to.deep.equal(['a page during "web: slow" returned 500']);
  });

  it('allows 503 while a fault is in force, and after it no more than the baseline had', () => {
    const responses = afterBaseline({ refused: 10 });
    const figures = responses.beginFault('web: slow');
    for (let i = 0; i < 50; i += 1) responses.record('a page', 503, ago(1));
    const sent = ago(0);
    responses.endFault();
    responses.record('a page', 503, sent - 1);
    expect(figures.refused).to.equal(51);
    const sendCalmly = (status: number, count: number) => {
      for (let i = 0; i < count; i += 1) responses.record('a page', status, ago(0));
    };
    sendCalmly(200, 89);
    sendCalmly(503, 12);
    expect(responses.judgeCalm()).to.deep.equal([]);
    sendCalmly(503, 3);
    expect(responses.judgeCalm()).to.have.length(1);
  });
});
