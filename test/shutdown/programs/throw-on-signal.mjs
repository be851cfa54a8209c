// Loaded before the program (--import): at SIGUSR2 an error is thrown that nobody catches, as a defect would throw it.
process.on('SIGUSR2', () =>
  setTimeout(() => {
    throw new Error('a defect of the bridge');
  }, 0),
);
