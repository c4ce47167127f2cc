{
  description = "A memory that all your AI agents share, on your machine";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      forEachSystem = build: nixpkgs.lib.genAttrs systems (system: build nixpkgs.legacyPackages.${system});
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
    in
    {
      packages = forEachSystem (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "quipu";
          version = manifest.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          cargoBuildFlags = [
            "--package"
            "quipu"
          ];
          buildType = "dist";
          # The tests need browsers, databases and clients that a build does not have.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installShellCompletion --cmd quipu \
              --bash <($out/bin/quipu completions bash) \
              --zsh <($out/bin/quipu completions zsh) \
              --fish <($out/bin/quipu completions fish)
          '';
          meta = {
            description = "A memory that all your AI agents share, on your machine";
            homepage = manifest.repository;
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "quipu";
          };
        };
      });
    };
}
