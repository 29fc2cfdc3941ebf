// Preloaded into a process (NODE_OPTIONS=--import), this is a bug of it: SIGUSR2 lets it have an error that nothing handles.
process.on('SIGUSR2', () => {
  throw new Error('a bug');
});
