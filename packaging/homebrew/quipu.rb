# Formula for Homebrew. `cargo xtask dist` fills the checksums.
class Quipu < Formula
  desc "Memory that all your AI agents share, on your machine"
  homepage "https://github.com/quipu-memory/quipu"
  version "0.1.0"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.com/quipu-memory/quipu/releases/download/v#{version}/quipu-#{version}-aarch64-apple-darwin.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_intel do
      url "https://github.com/quipu-memory/quipu/releases/download/v#{version}/quipu-#{version}-x86_64-apple-darwin.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/quipu-memory/quipu/releases/download/v#{version}/quipu-#{version}-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_intel do
      url "https://github.com/quipu-memory/quipu/releases/download/v#{version}/quipu-#{version}-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  def install
    bin.install "quipu"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/quipu.bash" => "quipu"
    zsh_completion.install "completions/_quipu"
    fish_completion.install "completions/quipu.fish"
  end

  service do
    run [opt_bin/"quipu", "serve"]
    keep_alive true
  end

  test do
    ENV["QUIPU_HOME"] = testpath/"memory"
    system bin/"quipu", "remember", "The brew test stores this sentence."
    assert_match "brew test", shell_output("#{bin}/quipu recall 'What does the test store?'")
  end
end
