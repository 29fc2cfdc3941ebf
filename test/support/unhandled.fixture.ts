/** What `unhandled.test.ts` runs: its one test passes, and leaves a rejection that nothing handles. */
describe('a test', () => {
  it('passes', () => {
    void Promise.reject(new Error('rejected without a handler'));
  });
});
