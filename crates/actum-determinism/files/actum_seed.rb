# Kernel#rand and Random.rand from a seed. Required by RUBYOPT; docs/design/determinism.md.
begin
  srand(0)
rescue StandardError
  nil
end
